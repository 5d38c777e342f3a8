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

/* Writes the indices of the bits: sixteen at a time. */
AVX512 static inline uint32_t *write_bits_avx512(uint64_t bits, uint32_t at, uint32_t *out) {
  static const uint8_t numbers[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
    56, 57, 58, 59, 60, 61, 62, 63};
  const __m512i base = _mm512_set1_epi32((int)at);
  const int count = __builtin_popcountll(bits);
  __m512i found = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers));
  _mm512_storeu_si512(out, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found))));
  for (int written = 16; written < count; written += 16) {
    found = _mm512_shuffle_i32x4(found, found, 0x39);
    _mm512_storeu_si512(out + written, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found))));
  }
  return out + count;
}

AVX512 static struct cscan_found csv_avx512(
  struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks, uint32_t *odds) {
  const __m512i delimiter = _mm512_set1_epi8((char)state->delimiter), quote = _mm512_set1_epi8((char)state->quote);
  const __m512i line_feed = _mm512_set1_epi8(10), carriage_return = _mm512_set1_epi8(13);
  const uint64_t quotes = state->quote == state->delimiter ? 0 : ~UINT64_C(0);
  struct cscan_csv carry = *state;
  uint32_t *next_break = breaks, *next_odd = odds;
  for (size_t at = from; at < to; at += 64) {
    __m512i all = _mm512_loadu_si512(bytes + at);
    struct csv_block block;
    block.valid = to - at < 64 ? (UINT64_C(1) << (to - at)) - 1 : ~UINT64_C(0);
    block.quotes = _mm512_cmpeq_epi8_mask(all, quote) & quotes & block.valid;
    block.lines = _mm512_cmpeq_epi8_mask(all, line_feed) | _mm512_cmpeq_epi8_mask(all, carriage_return);
    block.delimiters = _mm512_cmpeq_epi8_mask(all, delimiter);
    block.inside = prefix_xor_avx512(block.quotes) ^ carry.inside;
    struct csv_marks marks = csv_marks(&block, &carry);
    next_break = write_bits_avx512(marks.breaks, (uint32_t)at, next_break);
    if (marks.odds) next_odd = write_bits_avx512(marks.odds, (uint32_t)at, next_odd);
  }
  *state = carry;
  return (struct cscan_found){(size_t)(next_break - breaks), (size_t)(next_odd - odds)};
}
