#include "CSQLite.h"

int csqlite_number(void) { return 1; }
