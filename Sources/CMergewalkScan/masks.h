/* What does not depend on the instructions: 64 bytes as bits of a word. */
#ifndef CSCAN_MASKS_H
#define CSCAN_MASKS_H

#include "CScan.h"

/* The start of the character that is cut at `at`, or `at`; what is before is UTF-8. */
static inline size_t character_start(const uint8_t *bytes, size_t at) {
  while (at > 0 && (bytes[at - 1] & 0x80)) {
    at--;
    if (bytes[at] >= 0xC0) break;
  }
  return at;
}

/* Of 64 bytes of CSV: which are there, are quotes, LF or CR, delimiters, and inside quotes (an opening quote is, the
 * closing one is not). */
struct csv_block { uint64_t valid, quotes, lines, delimiters, inside; };

struct csv_marks { uint64_t breaks, odds; };

static inline struct csv_marks csv_marks(const struct csv_block *block, struct cscan_csv *carry) {
  uint64_t breaks = (block->delimiters | block->lines) & ~block->inside & block->valid;
  uint64_t opening = block->quotes & block->inside, closing = block->quotes & ~block->inside;
  uint64_t behind_break = breaks << 1 | carry->ended;
  uint64_t behind_closing = closing << 1 | carry->closed;
  uint64_t odds = (opening & ~behind_break) | (behind_closing & ~(breaks | block->quotes)) |
                  (block->lines & block->inside);
  carry->ended = breaks >> 63;
  carry->closed = closing >> 63;
  carry->inside = (uint64_t)((int64_t)block->inside >> 63);
  return (struct csv_marks){breaks, odds & block->valid};
}

#endif
