/* What the C programs of the reader benchmark have in common: their totals and how they are printed. */
#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* `bytes` and `hash` (FNV-1a over the values with a byte FF behind each) are for --check only. */
struct totals {
  uint64_t records, fields, bytes, hash;
  double started, processor_started;
};

static inline void die(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(66);
}

static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static inline struct totals start_totals(void) {
  return (struct totals){.hash = UINT64_C(0xcbf29ce484222325), .started = now(),
                         .processor_started = processor_seconds()};
}

static inline void hash_byte(struct totals *totals, unsigned char byte) {
  totals->hash = (totals->hash ^ byte) * UINT64_C(0x100000001b3);
  totals->bytes++;
}

static inline void hash_end(struct totals *totals) {
  totals->hash = (totals->hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static inline void print_totals(const struct totals *totals, bool check) {
  printf("{\"records\": %llu, \"fields\": %llu, \"seconds\": %.6f, \"cpu_seconds\": %.6f",
         (unsigned long long)totals->records, (unsigned long long)totals->fields, now() - totals->started,
         processor_seconds() - totals->processor_started);
  if (check)
    printf(", \"bytes\": %llu, \"hash\": \"%llx\"", (unsigned long long)totals->bytes,
           (unsigned long long)totals->hash);
  printf("}\n");
}

#endif
