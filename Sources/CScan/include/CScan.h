/* The two loops of the text readers that need more of a processor than Swift can ask for: byte shuffles (UTF-8), a
 * carry-less product (quotes) and masks of 64 bytes. They are written with the instructions of AVX2, and again with
 * those of AVX-512; which processor this is, is asked when the program runs. Where it has neither, the readers do the
 * same in Swift. docs/decisions/0010-vector-instructions-in-c.md has the figures. */
#ifndef CSCAN_H
#define CSCAN_H

#include <stddef.h>
#include <stdint.h>

#include "process.h"

/* Which of the loops below there are: none, with AVX2, with AVX-512. */
enum cscan_level { CSCAN_NONE = 0, CSCAN_AVX2 = 1, CSCAN_AVX512 = 2 };

/* What this processor and its system can do. */
enum cscan_level cscan_best_level(void);

/* How many of the `count` bytes, from the first on, are UTF-8 without NUL and without a cut character at their end.
 * It may stop some hundred bytes before the first fault or the end; the first byte begins a character.
 * There must be a level. */
size_t cscan_utf8(enum cscan_level level, const uint8_t *bytes, size_t count);

/* The fields of CSV, found 64 bytes at a time. */
struct cscan_csv {
  /* The delimiter; what quotes, or the delimiter again when nothing does. */
  uint8_t delimiter, quote;
  /* What the bytes before leave behind: all ones inside quotes; one when the last byte was a quote that closed; one
   * when it ended a field, as at the start of a record. */
  uint64_t inside, closed, ended;
};

/* What one call found. */
struct cscan_found { size_t breaks, odds; };

/* Finds in bytes[from..<to], of which `from` continues where the last call ended:
 *
 *   breaks  delimiters, LF and CR outside quotes;
 *   odds    a quote that does not follow the start of a field (behind another one: both stand for one quote inside
 *           quotes; otherwise it is misplaced), a byte behind a closing quote that does not end the field, and LF and
 *           CR inside quotes.
 *
 * Both get indices in `bytes`, in order, and have room for (to - from) + 64 of them. 64 bytes behind `to` must be
 * readable. (to - from) must be a multiple of 64 unless this is the last call. There must be a level. */
struct cscan_found cscan_csv_fields(
  enum cscan_level level, struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks,
  uint32_t *odds);

#endif
