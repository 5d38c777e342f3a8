/* The pages of a store that SQLite made and closed: numbers, the pointer map and the header.
 * Sections are those of https://sqlite.org/fileformat2.html. */
#ifndef LIMIT_PAGES_H
#define LIMIT_PAGES_H
#include "common.h"

enum { PAGE = 4096 };

/* Types of pages in the pointer map (3.8). */
enum page_type { PAGE_OVERFLOW_FIRST = 3, PAGE_OVERFLOW = 4, PAGE_TREE = 5 };

struct pages;

struct pages *pages_open(const char *path);

/* The number of the page that pages_append writes next. */
uint32_t pages_next(const struct pages *pages);
/* The number of the page after that one. */
uint32_t pages_after(uint32_t page);
void pages_append(struct pages *pages, const uint8_t *bytes);

/* Writes a page that is there already: a root. */
void pages_replace(struct pages *pages, uint32_t page, const uint8_t *bytes);

/* Notes the parent of a page for the pointer map. */
void pages_map(struct pages *pages, uint32_t page, enum page_type type, uint32_t parent);

/* Writes the pointer map and the header, and closes the file. */
void pages_close(struct pages *pages);

static inline void put16(uint8_t *at, uint32_t value) {
  uint16_t bytes = __builtin_bswap16((uint16_t)value);
  memcpy(at, &bytes, 2);
}

static inline void put32(uint8_t *at, uint32_t value) {
  value = __builtin_bswap32(value);
  memcpy(at, &value, 4);
}

static inline uint32_t get32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return __builtin_bswap32(value);
}
#endif
