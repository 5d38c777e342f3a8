/* The loops with AVX-512 (BW, DQ and VBMI2, which the processors of 2019 and later have that have it at all). */
#include <immintrin.h>
#include "masks.h"
#include "utf8.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vbmi2,pclmul,bmi,popcnt")))

/* ---- UTF-8 ---------------------------------------------------------------------------------------------------- */

#define TABLE512(table) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(table)))

/* The bytes of `block`, moved up by so many; those of `before` come in. */
#define BEFORE512(block, before, by) _mm512_alignr_epi8(block, _mm512_alignr_epi64(block, before, 6), 16 - (by))

AVX512 static inline __m512i faults_avx512(__m512i block, __m512i before) {
  const __m512i low = _mm512_set1_epi8(0x0F);
  __m512i first = BEFORE512(block, before, 1);
  __m512i special = _mm512_and_si512(
    _mm512_and_si512(
      _mm512_shuffle_epi8(TABLE512(utf8_first_high), _mm512_and_si512(_mm512_srli_epi16(first, 4), low)),
      _mm512_shuffle_epi8(TABLE512(utf8_first_low), _mm512_and_si512(first, low))),
    _mm512_shuffle_epi8(TABLE512(utf8_second_high), _mm512_and_si512(_mm512_srli_epi16(block, 4), low)));
  __m512i third = _mm512_subs_epu8(BEFORE512(block, before, 2), _mm512_set1_epi8((char)(0xE0 - 0x80)));
  __m512i fourth = _mm512_subs_epu8(BEFORE512(block, before, 3), _mm512_set1_epi8((char)(0xF0 - 0x80)));
  __m512i must = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8((char)0x80));
  return _mm512_xor_si512(must, special);
}

/* Not zero where a character begins that the block cuts. */
AVX512 static inline __m512i cut_avx512(__m512i block) {
  const __m128i last = _mm_setr_epi8(
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
  return _mm512_subs_epu8(block, _mm512_inserti32x4(_mm512_set1_epi8(-1), last, 3));
}

AVX512 static size_t utf8_avx512(const uint8_t *bytes, size_t count) {
  __m512i before = _mm512_setzero_si512(), cut = before;
  size_t at = 0;
  /* Four blocks at a time: whether one has anything but ASCII is hard to predict in text of some languages. */
  for (; at + 256 <= count; at += 256) {
    __m512i a = _mm512_loadu_si512(bytes + at), b = _mm512_loadu_si512(bytes + at + 64);
    __m512i c = _mm512_loadu_si512(bytes + at + 128), d = _mm512_loadu_si512(bytes + at + 192);
    __m512i least = _mm512_min_epu8(_mm512_min_epu8(a, b), _mm512_min_epu8(c, d));
    __mmask64 nul = _mm512_testn_epi8_mask(least, least);
    __m512i fault = cut;
    cut = _mm512_setzero_si512();
    if (_mm512_movepi8_mask(_mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d)))) {
      fault = _mm512_or_si512(
        _mm512_or_si512(faults_avx512(a, before), faults_avx512(b, a)),
        _mm512_or_si512(faults_avx512(c, b), faults_avx512(d, c)));
      cut = cut_avx512(d);
    }
    before = d;
    if (nul | _mm512_test_epi8_mask(fault, fault)) break;
  }
  return character_start(bytes, at);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------ */

AVX512 static inline uint64_t prefix_xor_avx512(uint64_t mask) {
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)mask), _mm_set1_epi8(-1), 0));
}

/* What is fixed in the loop below. */
struct csv_vectors { __m512i delimiter, quote, line_feed, carriage_return; uint64_t quotes; };

/* Where the next marks go. */
struct csv_out { uint32_t *breaks, *odds; uint8_t *flags; };

/* Writes the indices of the bits: sixteen at a time. `numbers` has each byte's number in its six low bits. */
AVX512 static inline uint32_t *write_bits_avx512(
  uint64_t bits, __m512i numbers, uint32_t at, uint32_t *out, uint8_t *flags) {
  const __m512i base = _mm512_set1_epi32((int)at), low = _mm512_set1_epi32(63);
  const int count = __builtin_popcountll(bits);
  __m512i found = _mm512_maskz_compress_epi8(bits, numbers);
  for (int written = 0;;) {
    const __m128i some = _mm512_castsi512_si128(found);
    if (flags) _mm_storeu_si128((__m128i *)(flags + written), some);
    _mm512_storeu_si512(
      out + written, _mm512_add_epi32(base, _mm512_and_si512(low, _mm512_cvtepu8_epi32(some))));
    written += 16;
    if (__builtin_expect(written >= count, 1)) break;
    found = _mm512_shuffle_i32x4(found, found, 0x39);
  }
  return out + count;
}

/* What 64 bytes are. */
struct csv_bytes { __m512i all; uint64_t quotes; };

AVX512 static inline struct csv_bytes csv_load_avx512(const struct csv_vectors *vectors, const uint8_t *bytes) {
  const __m512i all = _mm512_loadu_si512(bytes);
  return (struct csv_bytes){all, _mm512_cmpeq_epi8_mask(all, vectors->quote) & vectors->quotes};
}

/* The marks of 64 bytes, of which `valid` are there; `next` are those behind. */
AVX512 static inline __attribute__((always_inline)) void csv_block_avx512(
  const struct csv_vectors *vectors, struct cscan_csv *carry, size_t at, uint64_t valid, struct csv_bytes these,
  struct csv_bytes next, struct csv_out *out) {
  static const uint8_t bytes_numbers[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
    56, 57, 58, 59, 60, 61, 62, 63};
  const __m512i numbers = _mm512_loadu_si512(bytes_numbers);
  struct csv_block block;
  block.valid = valid;
  block.quotes = these.quotes & valid;
  block.lines = _mm512_cmpeq_epi8_mask(these.all, vectors->line_feed) |
                _mm512_cmpeq_epi8_mask(these.all, vectors->carriage_return);
  block.delimiters = _mm512_cmpeq_epi8_mask(these.all, vectors->delimiter);
  block.inside = prefix_xor_avx512(block.quotes) ^ carry->inside;
  struct csv_marks marks = csv_marks(&block, carry);
  __m512i flagged = numbers;
  if (out->flags) {
    const uint64_t quote_next = these.quotes >> 1 | next.quotes << 63;
    flagged = _mm512_mask_add_epi8(flagged, quote_next, flagged, _mm512_set1_epi8((char)CSCAN_QUOTE_NEXT));
    flagged = _mm512_mask_add_epi8(flagged, block.lines, flagged, _mm512_set1_epi8(CSCAN_LINE_END));
  }
  uint32_t *end = write_bits_avx512(marks.breaks, flagged, (uint32_t)at, out->breaks, out->flags);
  if (out->flags) out->flags += end - out->breaks;
  out->breaks = end;
  if (marks.odds) out->odds = write_bits_avx512(marks.odds, numbers, (uint32_t)at, out->odds, NULL);
}

/* Inlined twice: with flags and without. */
AVX512 static inline __attribute__((always_inline)) struct cscan_found csv_marks_avx512(
  struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks, uint32_t *odds,
  uint8_t *flags) {
  const struct csv_vectors vectors = {
    _mm512_set1_epi8((char)state->delimiter), _mm512_set1_epi8((char)state->quote), _mm512_set1_epi8(10),
    _mm512_set1_epi8(13), state->quote == state->delimiter ? 0 : ~UINT64_C(0)};
  struct cscan_csv carry = *state;
  struct csv_out out = {breaks, odds, flags};
  size_t at = from;
  struct csv_bytes these = csv_load_avx512(&vectors, bytes + at);
  for (; at + 128 <= to; at += 128) {
    const struct csv_bytes next = csv_load_avx512(&vectors, bytes + at + 64);
    csv_block_avx512(&vectors, &carry, at, ~UINT64_C(0), these, next, &out);
    these = csv_load_avx512(&vectors, bytes + at + 128);
    csv_block_avx512(&vectors, &carry, at + 64, ~UINT64_C(0), next, these, &out);
  }
  for (; at < to; at += 64) {
    const uint64_t valid = to - at < 64 ? (UINT64_C(1) << (to - at)) - 1 : ~UINT64_C(0);
    /* Behind the last block there may be a quote, too. */
    const struct csv_bytes next = to - at >= 64 ? csv_load_avx512(&vectors, bytes + at + 64) : these;
    csv_block_avx512(&vectors, &carry, at, valid, these, next, &out);
    these = next;
  }
  *state = carry;
  return (struct cscan_found){(size_t)(out.breaks - breaks), (size_t)(out.odds - odds)};
}

AVX512 static struct cscan_found csv_avx512(
  struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks, uint32_t *odds) {
  return csv_marks_avx512(state, bytes, from, to, breaks, odds, NULL);
}

AVX512 static struct cscan_found csv_flagged_avx512(
  struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks, uint32_t *odds,
  uint8_t *flags) {
  return csv_marks_avx512(state, bytes, from, to, breaks, odds, flags);
}

/* What is odd in a row that starts at break `next` and ends at `end`: returns the line ends inside its quotes, or -1
 * when a quote is misplaced or there is no room; the row's fields are written, from `slot` on. */
AVX512 static __attribute__((noinline)) int64_t row_odds(
  struct cscan_rows *rows, size_t next, uint32_t end, size_t slot) {
  size_t odd = rows->next_odd, count = rows->escape_count;
  uint32_t field = 0, escaped = UINT32_MAX;
  int64_t lines = 0;
  for (; odd < rows->odd_count && rows->odds[odd] < end; odd++) {
    const uint32_t at = rows->odds[odd];
    const uint8_t byte = rows->bytes[at];
    if (byte == 10 || byte == 13) {
      if (rows->is_one_line) return -1;
      lines += byte == 10 || rows->bytes[at + 1] != 10;
    } else if (byte == rows->quote && rows->bytes[at - 1] == rows->quote) {
      while (rows->breaks[next + field] < at) field++;
      if (field == escaped) continue;
      if (count == rows->most_escapes) return -1;
      escaped = field;
      rows->escapes[count++] = (struct cscan_escape){
        rows->slot + (uint32_t)slot + field, rows->starts[slot + field],
        rows->starts[slot + field] + rows->lengths[slot + field]};
    } else {
      return -1;
    }
  }
  rows->next_odd = odd;
  rows->escape_count = count;
  return lines;
}

/* A field starts behind the break before it and its own quote, so all that is needed of the bytes are the flags.
 *
 * Sixteen fields at a time are written, whether the row has so many or not: what is behind it is written later, or is
 * not used. Masked stores take several times as long. */
AVX512 static size_t rows_avx512(struct cscan_rows *rows) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m128i state = _mm_set1_epi8((char)rows->state), zero = _mm_setzero_si128();
  const uint32_t width = rows->width, most_bytes = rows->most_bytes;
  const uint32_t start_limit = rows->start_limit, end_limit = rows->end_limit;
  const uint64_t row_mask = width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
  const uint64_t last_mask = UINT64_C(1) << (width - 1);
  const uint8_t *bytes = rows->bytes, *flags = rows->flags;
  const uint32_t *breaks = rows->breaks;
  uint32_t *starts = rows->starts, *lengths = rows->lengths;
  uint8_t *states = rows->states;
  const size_t count = rows->count, most_rows = rows->most_rows;
  const uint8_t comment = rows->comment;
  const uint64_t head = rows->head, head_mask = rows->head_mask;
  const uint64_t quoted_head = rows->quoted_head, quoted_head_mask = rows->quoted_head_mask;
  size_t next = 0, row = 0, slot = 0;
  uint32_t start = rows->start;
  uint32_t odd = rows->next_odd < rows->odd_count ? rows->odds[rows->next_odd] : UINT32_MAX;
  int64_t line = rows->line;
  /* As if there were a break before the first row. */
  rows->breaks[-1] = start - 1;
  rows->flags[-1] = bytes[start] == rows->quote ? CSCAN_QUOTE_NEXT : 0;
  while (row < most_rows && next + width <= count && start < start_limit) {
    uint64_t line_ends = 0;
    for (uint32_t field = 0; field < width; field += 16) {
      const __m128i some = _mm_loadu_si128((const __m128i *)(flags + next + field));
      /* The flag is moved to where it can be asked for. */
      line_ends |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_slli_epi16(some, 1)) << field;
    }
    const uint8_t first = bytes[start];
    if ((line_ends & row_mask) != last_mask || first == 10 || first == 13 || first == comment) break;
    uint64_t begin;
    memcpy(&begin, bytes + start, 8);
    const int is_head = (begin & head_mask) == head || (begin & quoted_head_mask) == quoted_head;
    /* A byte order mark is no text. */
    if (__builtin_expect((head_mask != 0 && is_head) || (begin & 0xFFFFFF) == 0xBFBBEF, 0)) break;
    const uint32_t end = breaks[next + width - 1];
    uint32_t pair = 0;
    /* A branch, so that the next row need not wait. */
    if (__builtin_expect(bytes[end] == 13, 0)) pair = bytes[end + 1] == 10;
    if (end - start > most_bytes || end + 1 + pair > end_limit) break;
    for (uint32_t field = 0; field < width; field += 16) {
      const __m128i before = _mm_loadu_si128((const __m128i *)(flags + next + field - 1));
      _mm_storeu_si128(
        (__m128i *)(states + slot + field), _mm_sub_epi8(state, _mm_cmplt_epi8(before, zero)));
      const __mmask16 quoted = (__mmask16)_mm_movemask_epi8(before);
      const __m512i ends = _mm512_loadu_si512(breaks + next + field);
      __m512i from = _mm512_add_epi32(_mm512_loadu_si512(breaks + next + field - 1), one);
      from = _mm512_mask_add_epi32(from, quoted, from, one);
      const __m512i length = _mm512_sub_epi32(ends, from);
      _mm512_storeu_si512(starts + slot + field, from);
      _mm512_storeu_si512(lengths + slot + field, _mm512_mask_sub_epi32(length, quoted, length, one));
    }
    int64_t lines = 0;
    if (odd < end) {
      lines = row_odds(rows, next, end, slot);
      if (lines < 0) break;
      odd = rows->next_odd < rows->odd_count ? rows->odds[rows->next_odd] : UINT32_MAX;
    }
    rows->positions[row] = (struct cscan_position){
      rows->index + (int64_t)row, line, 1, rows->origin + start, start, end - start};
    line += 1 + lines;
    row++;
    slot += width;
    next += width + pair;
    start = end + 1 + pair;
  }
  rows->next = next;
  rows->start = start;
  rows->line = line;
  return row;
}

/* ---- Doubled quotes ------------------------------------------------------------------------------------------- */

/* Drops the second of two quotes; a quote that is not doubled stops it. */
AVX512 static ptrdiff_t unquote_avx512(const uint8_t *bytes, size_t count, uint8_t quote, uint8_t *target) {
  const __m512i quotes = _mm512_set1_epi8((char)quote);
  uint64_t open = 0;
  uint8_t *out = target;
  for (size_t at = 0; at < count; at += 64) {
    const uint64_t valid = count - at < 64 ? (UINT64_C(1) << (count - at)) - 1 : ~UINT64_C(0);
    const __m512i all = _mm512_loadu_si512(bytes + at);
    const uint64_t found = _mm512_cmpeq_epi8_mask(all, quotes) & valid;
    const uint64_t parity = prefix_xor_avx512(found) ^ (open ? ~UINT64_C(0) : 0);
    const uint64_t firsts = found & parity, seconds = found & ~parity;
    if ((firsts << 1 | open) != seconds) return -1;
    open = firsts >> 63;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(valid & ~seconds, all));
    out += __builtin_popcountll(valid & ~seconds);
  }
  /* The last one is behind what is there. */
  return open ? -1 : out - target;
}
