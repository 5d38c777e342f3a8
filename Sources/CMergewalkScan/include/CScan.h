/* The loops of the text readers that need more of a processor than Swift can ask for: byte shuffles (UTF-8), a
 * carry-less product (quotes), masks of 64 bytes and streaming stores. They are written with the instructions of AVX2,
 * and again with those of AVX-512; which processor this is, is asked when the program runs. Where it has neither, the
 * readers do the same in Swift. docs/decisions/0010-vector-instructions-in-c.md has the figures. */
#ifndef CSCAN_H
#define CSCAN_H

#include <stddef.h>
#include <stdint.h>

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

/* What cscan_csv_fields_flagged says of a break: the byte behind it is the quote; it is LF or CR. The other bits of a
 * flag may be anything. */
enum cscan_flag { CSCAN_QUOTE_NEXT = 128, CSCAN_LINE_END = 64 };

/* Whether there are the two functions below. */
static inline int cscan_has_rows(enum cscan_level level) { return level == CSCAN_AVX512; }

/* The same as cscan_csv_fields, and flags for the breaks, which have as much room. */
struct cscan_found cscan_csv_fields_flagged(
  enum cscan_level level, struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks,
  uint32_t *odds, uint8_t *flags);

/* Where a record comes from; RecordPosition has the same layout. */
struct cscan_position { int64_t index, line, column, offset; uint32_t start, length; };

/* A field with doubled quotes: its place among the fields, and where its text starts and ends. */
struct cscan_escape { uint32_t slot, start, end; };

/* What makes rows of breaks. */
struct cscan_rows {
  const uint8_t *bytes;
  /* The breaks from the first row's on, with their flags; 64 behind the last may be read. `breaks[-1]` and `flags[-1]`
   * may be written. */
  uint32_t *breaks;
  uint8_t *flags;
  /* How many breaks there are whose rows are whole; how many were used. */
  size_t count, next;
  /* What is odd from the first row on; how many of it was used. */
  const uint32_t *odds;
  size_t odd_count, next_odd;
  /* The columns, at most 64, and the first byte of lines that are no rows, besides LF and CR. */
  uint32_t width;
  uint8_t comment, quote;
  /* Whether a row ends where its line does: one with line ends inside quotes is something else. */
  uint8_t is_one_line;
  /* What a line begins with that may be no row, without quotes and with them, in the bytes that the masks have; of
   * empty masks there is none. */
  uint64_t head, head_mask, quoted_head, quoted_head_mask;
  /* The start of the next row; no row starts at or behind `start_limit`, ends behind `end_limit` or is longer than
   * `most_bytes`. */
  uint32_t start, start_limit, end_limit, most_bytes;
  /* So many rows at most. */
  size_t most_rows;
  /* Where the fields of the first row go, and their number among those of the batch; those of all rows follow each
   * other. What is behind the last row may be written, too: 15 fields. */
  uint32_t *starts, *lengths;
  uint8_t *states;
  uint32_t slot;
  /* The state of a field without quotes; one more is that of a field with them. */
  uint8_t state;
  /* Where the rows' positions go; the number and the line of the next row, and where the bytes are in the file. */
  struct cscan_position *positions;
  int64_t index, line, origin;
  /* Where fields with doubled quotes go, how many at most, and how many there were. */
  struct cscan_escape *escapes;
  size_t most_escapes, escape_count;
};

/* Writes the fields and positions of rows, each a line of `width` fields, until one is something else; returns how
 * many. Doubled quotes and line ends inside quotes are part of a row, misplaced quotes are not. Eight bytes behind a
 * row's start may be read. */
size_t cscan_csv_rows(struct cscan_rows *rows);

/* Copies text in which each quote is doubled, with one quote for two; returns how many bytes that makes, or -1 if
 * there is a quote that is not doubled. 64 bytes behind the text may be read, and 64 behind the copy be written. There
 * must be rows. */
ptrdiff_t cscan_csv_unquote(const uint8_t *bytes, size_t count, uint8_t quote, uint8_t *target);

/* Copies bytes for another processor: past the caches where that can be asked for, so that lines which the other one
 * has read last need not come back first. What was copied can be seen by whoever is told of it afterwards. */
void cscan_copy_out(void *target, const void *source, size_t count);

/* Asks for the memory at a place, which is read soon; nothing else happens, wherever it points. */
static inline void cscan_prefetch(const void *place) { __builtin_prefetch(place); }

#endif
