/* The one line of JSON that a run prints. */
#ifndef LIMIT_REPORT_H
#define LIMIT_REPORT_H
#include "shop.h"

struct counts { uint64_t read, inserted, updated, unchanged, skipped; };

/* Seconds since the process began its work. */
double elapsed(void);

/* With LIMIT_TRACE in the environment, says on standard error when a phase ended. */
void trace(const char *phase);

void report(const char *job, const struct counts *counts, const struct shop *shop);
#endif
