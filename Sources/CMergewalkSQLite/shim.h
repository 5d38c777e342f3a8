// The library has them; only its header asks.
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_SESSION 1
#include <sqlite3.h>

// Swift cannot call C functions with variable arguments; these give the few calls we need a fixed form.

/// sqlite3_db_config for the options that take an int and report an int.
static inline int mergewalk_db_config(sqlite3 *db, int option, int value, int *result) {
  return sqlite3_db_config(db, option, value, result);
}

/// sqlite3_config for the options that take one int; only before the library is initialised.
static inline int mergewalk_config(int option, int value) {
  return sqlite3_config(option, value);
}

// Swift does not see these, as their definitions are expressions.
static const int mergewalk_ioerr_read = SQLITE_IOERR_READ;
static const int mergewalk_ioerr_short_read = SQLITE_IOERR_SHORT_READ;
