/* The loops with AVX2. */
#include <immintrin.h>
#include "masks.h"
#include "utf8.h"

#define AVX2 __attribute__((target("avx2,pclmul,bmi,popcnt")))

/* ---- UTF-8 ---------------------------------------------------------------------------------------------------- */

#define TABLE256(table) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table)))

/* The bytes of `block`, moved up by so many; those of `before` come in. */
#define BEFORE256(block, before, by) \
  _mm256_alignr_epi8(block, _mm256_permute2x128_si256(before, block, 0x21), 16 - (by))

AVX2 static inline __m256i faults_avx2(__m256i block, __m256i before) {
  const __m256i low = _mm256_set1_epi8(0x0F);
  __m256i first = BEFORE256(block, before, 1);
  __m256i special = _mm256_and_si256(
    _mm256_and_si256(
      _mm256_shuffle_epi8(TABLE256(utf8_first_high), _mm256_and_si256(_mm256_srli_epi16(first, 4), low)),
      _mm256_shuffle_epi8(TABLE256(utf8_first_low), _mm256_and_si256(first, low))),
    _mm256_shuffle_epi8(TABLE256(utf8_second_high), _mm256_and_si256(_mm256_srli_epi16(block, 4), low)));
  __m256i third = _mm256_subs_epu8(BEFORE256(block, before, 2), _mm256_set1_epi8((char)(0xE0 - 0x80)));
  __m256i fourth = _mm256_subs_epu8(BEFORE256(block, before, 3), _mm256_set1_epi8((char)(0xF0 - 0x80)));
  __m256i must = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
  return _mm256_xor_si256(must, special);
}

/* Not zero where a character begins that the block cuts. */
AVX2 static inline __m256i cut_avx2(__m256i block) {
  const __m256i most = _mm256_setr_epi8(
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
  return _mm256_subs_epu8(block, most);
}

AVX2 static size_t utf8_avx2(const uint8_t *bytes, size_t count) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i before = zero, cut = zero;
  size_t at = 0;
  for (; at + 64 <= count; at += 64) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(bytes + at));
    __m256i b = _mm256_loadu_si256((const __m256i *)(bytes + at + 32));
    __m256i fault = _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), zero);
    if (_mm256_movemask_epi8(_mm256_or_si256(a, b)) == 0) {
      fault = _mm256_or_si256(fault, cut);
      cut = zero;
    } else {
      fault = _mm256_or_si256(fault, _mm256_or_si256(faults_avx2(a, before), faults_avx2(b, a)));
      cut = cut_avx2(b);
    }
    before = b;
    if (!_mm256_testz_si256(fault, fault)) break;
  }
  return character_start(bytes, at);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------ */

AVX2 static inline uint64_t equal_avx2(__m256i a, __m256i b, __m256i byte) {
  return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, byte)) |
         (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, byte)) << 32;
}

/* Bit n of the result is the XOR of the bits 0...n. */
AVX2 static inline uint64_t prefix_xor_avx2(uint64_t mask) {
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)mask), _mm_set1_epi8(-1), 0));
}

/* Writes the indices of the bits: eight at a time, because most blocks have fewer. */
AVX2 static inline uint32_t *write_bits_avx2(uint64_t bits, uint32_t at, uint32_t *out) {
  uint32_t *end = out + __builtin_popcountll(bits);
  while (out < end) {
    for (int i = 0; i < 8; i++) {
      out[i] = at + (uint32_t)_tzcnt_u64(bits);
      bits = _blsr_u64(bits);
    }
    out += 8;
  }
  return end;
}

AVX2 static struct cscan_found csv_avx2(
  struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks, uint32_t *odds) {
  const __m256i delimiter = _mm256_set1_epi8((char)state->delimiter), quote = _mm256_set1_epi8((char)state->quote);
  const __m256i line_feed = _mm256_set1_epi8(10), carriage_return = _mm256_set1_epi8(13);
  const uint64_t quotes = state->quote == state->delimiter ? 0 : ~UINT64_C(0);
  struct cscan_csv carry = *state;
  uint32_t *next_break = breaks, *next_odd = odds;
  for (size_t at = from; at < to; at += 64) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(bytes + at));
    __m256i b = _mm256_loadu_si256((const __m256i *)(bytes + at + 32));
    struct csv_block block;
    block.valid = to - at < 64 ? (UINT64_C(1) << (to - at)) - 1 : ~UINT64_C(0);
    block.quotes = equal_avx2(a, b, quote) & quotes & block.valid;
    block.lines = equal_avx2(a, b, line_feed) | equal_avx2(a, b, carriage_return);
    block.delimiters = equal_avx2(a, b, delimiter);
    block.inside = prefix_xor_avx2(block.quotes) ^ carry.inside;
    struct csv_marks marks = csv_marks(&block, &carry);
    next_break = write_bits_avx2(marks.breaks, (uint32_t)at, next_break);
    if (marks.odds) next_odd = write_bits_avx2(marks.odds, (uint32_t)at, next_odd);
  }
  *state = carry;
  return (struct cscan_found){(size_t)(next_break - breaks), (size_t)(next_odd - odds)};
}
