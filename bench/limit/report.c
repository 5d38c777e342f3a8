#include "report.h"
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double start;
__attribute__((constructor)) static void begin(void) { start = now(); }

double elapsed(void) { return now() - start; }

void trace(const char *phase) {
  if (getenv("LIMIT_TRACE")) fprintf(stderr, "%8.3f s %s\n", elapsed(), phase);
}

static void entity(const char *name, const struct references *table, const char *end) {
  printf("\"%s\": {\"inserted\": %llu, \"updated\": %llu, \"unchanged\": %llu}%s", name,
         (unsigned long long)table->inserted, (unsigned long long)table->updated,
         (unsigned long long)(table->count - table->inserted - table->updated), end);
}

void report(const char *job, const struct counts *c, const struct shop *shop) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"job\": \"%s\", \"read\": %llu, \"inserted\": %llu, \"updated\": %llu, \"unchanged\": %llu, "
         "\"skipped\": %llu, \"rejected\": 0, \"seconds\": %.3f, \"peak_rss_bytes\": %lld, \"entities\": {",
         job, (unsigned long long)c->read, (unsigned long long)c->inserted, (unsigned long long)c->updated,
         (unsigned long long)c->unchanged, (unsigned long long)c->skipped, elapsed(),
         (long long)usage.ru_maxrss * 1024);
  entity("Category", &shop->categories, ", ");
  entity("Customer", &shop->customers, ", ");
  printf("\"Order\": {\"inserted\": %llu, \"updated\": %llu, \"unchanged\": %llu}, ", (unsigned long long)c->inserted,
         (unsigned long long)c->updated, (unsigned long long)c->unchanged);
  entity("Product", &shop->products, "}}\n");
}
