/* The limit: the benchmark's job by hand in single-threaded C, as fast as SQLite, or with --direct its file format, lets it. */
#include "common.h"
#include "jobs.h"
#include <stdio.h>
#include <string.h>

static _Noreturn void usage(void) {
  fputs("usage: limit load ORDERS.csv STORE.sqlite [--live-indexes | --direct]\n"
        "       limit nightly NIGHTLY.csv STORE.sqlite [--plan seek|scan|sorted]\n"
        "       limit fetch STORE.sqlite REPETITIONS\n"
        "       limit objects NEW-STORE.sqlite COUNT\n", stderr);
  exit(64);
}

int main(int argc, char **argv) {
  if (argc < 4) usage();
  if (!strcmp(argv[1], "load")) {
    bool live = argc == 5 && !strcmp(argv[4], "--live-indexes");
    bool direct = argc == 5 && !strcmp(argv[4], "--direct");
    if (argc != 4 && !live && !direct) usage();
    if (direct) load_direct(argv[2], argv[3]);
    else load(argv[2], argv[3], live);
  } else if (!strcmp(argv[1], "nightly")) {
    bool named = argc == 6 && !strcmp(argv[4], "--plan");
    bool seek = named && !strcmp(argv[5], "seek"), scan = named && !strcmp(argv[5], "scan");
    bool sorted = named && !strcmp(argv[5], "sorted");
    if (argc != 4 && !seek && !scan && !sorted) usage();
    nightly(argv[2], argv[3], seek ? SEEK : sorted ? SORTED : SCAN);
  } else if (!strcmp(argv[1], "fetch") && atoi(argv[3]) > 0) {
    fetch(argv[2], atoi(argv[3]));
  } else if (!strcmp(argv[1], "objects") && atoi(argv[3]) > 0) {
    objects(argv[2], atoi(argv[3]));
  } else {
    usage();
  }
  return 0;
}
