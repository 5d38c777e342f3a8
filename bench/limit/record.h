/* Records and cells, written from their end towards their front: https://sqlite.org/fileformat2.html, section 2.1. A number
 * is stored as eight bytes that end where it ends; what is too much lies in front of it and is overwritten next. */
#ifndef LIMIT_RECORD_H
#define LIMIT_RECORD_H
#include "csv.h"
#include "common.h"

enum { TYPES = 32 };                   /* bytes that the types of ten columns take at most */

struct record_writer { uint8_t *at, *types, space[TYPES]; };

/* A writer whose record ends before `end`. */
static inline void record_begin(struct record_writer *w, uint8_t *end) {
  w->at = end;
  w->types = w->space + TYPES;
}

/* A varint (1.6) that ends before `at`; returns its first byte. For values below 2^56. */
static inline uint8_t *varint_before(uint8_t *at, uint64_t value) {
  *--at = value & 127;
  while (value >>= 7) *--at = (uint8_t)(value | 128);
  return at;
}

static inline void record_number(struct record_writer *w, uint64_t bits, unsigned size, unsigned type) {
  bits = __builtin_bswap64(bits);
  memcpy(w->at - 8, &bits, 8);
  w->at -= size;
  *--w->types = (uint8_t)type;
}

static inline void record_null(struct record_writer *w) { *--w->types = 0; }

/* In the fewest bytes; 0 and 1 take none. */
static inline void record_int(struct record_writer *w, int64_t value) {
  static const uint8_t sizes[] = {1, 2, 3, 4, 6, 6, 8, 8}, types[] = {1, 2, 3, 4, 5, 5, 6, 6};
  if ((uint64_t)value <= 1) { *--w->types = (uint8_t)(8 + value); return; }
  unsigned bits = 64 - (unsigned)__builtin_clzll((uint64_t)(value ^ value >> 63) | 1);
  record_number(w, (uint64_t)value, sizes[bits / 8], types[bits / 8]);
}

/* As a column of numeric affinity keeps it: a whole number as an integer
 * (https://sqlite.org/datatype3.html, section 3). */
static inline void record_real(struct record_writer *w, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  if (value > -9e18 && value < 9e18 && (double)(int64_t)value == value) record_int(w, (int64_t)value);
  else record_number(w, bits, 8, 7);
}

/* An empty text is NULL, as everywhere in this import. */
static inline void record_text(struct record_writer *w, struct slice text) {
  w->at -= text.count;
  if (text.count) memcpy(w->at, text.bytes, text.count);
  w->types = varint_before(w->types, text.count ? 13 + 2 * (uint64_t)text.count : 0);
}

/* Puts the header before the values; returns the record's first byte. */
static inline uint8_t *record_end(struct record_writer *w) {
  size_t count = (size_t)(w->space + TYPES - w->types);
  memcpy(w->at - TYPES, w->space, TYPES);
  w->at -= count;
  *--w->at = (uint8_t)(count + 1);
  return w->at;
}
#endif
