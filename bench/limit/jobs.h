#ifndef LIMIT_JOBS_H
#define LIMIT_JOBS_H
#include <stdbool.h>

/* Builds a new store from a file of orders. */
void load(const char *csv, const char *store, bool live_indexes);

/* Builds the same store without SQLite's b-trees. A file that repeats an order is given to `load`. */
void load_direct(const char *csv, const char *store);

/* SORTED is SCAN with one transaction at the end. */
enum plan { SEEK, SCAN, SORTED };

/* Brings an existing store up to a file of orders. */
void nightly(const char *csv, const char *store, enum plan plan);

/* Times the SELECTs of the fetch benchmark in a store, and prints their medians. */
void fetch(const char *store, int repetitions);

/* Inserts, reads and changes rows in a new store one by one, and prints how long each took. */
void objects(const char *store, int count);
#endif
