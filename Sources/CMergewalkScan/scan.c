#include "CScan.h"
#include <string.h>

#if defined(__x86_64__)

#include "avx2.h"
#include "avx512.h"

enum cscan_level cscan_best_level(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("popcnt"))
    return CSCAN_NONE;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vbmi2"))
    return CSCAN_AVX512;
  return CSCAN_AVX2;
}

size_t cscan_utf8(enum cscan_level level, const uint8_t *bytes, size_t count) {
  return level == CSCAN_AVX512 ? utf8_avx512(bytes, count) : utf8_avx2(bytes, count);
}

struct cscan_found cscan_csv_fields(
  enum cscan_level level, struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks,
  uint32_t *odds) {
  return level == CSCAN_AVX512 ? csv_avx512(state, bytes, from, to, breaks, odds)
                               : csv_avx2(state, bytes, from, to, breaks, odds);
}

struct cscan_found cscan_csv_fields_flagged(
  enum cscan_level level, struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks,
  uint32_t *odds, uint8_t *flags) {
  (void)level;
  return csv_flagged_avx512(state, bytes, from, to, breaks, odds, flags);
}

size_t cscan_csv_rows(struct cscan_rows *rows) { return rows_avx512(rows); }

ptrdiff_t cscan_csv_unquote(const uint8_t *bytes, size_t count, uint8_t quote, uint8_t *target) {
  return unquote_avx512(bytes, count, quote, target);
}

/* SSE2 is there always. */
void cscan_copy_out(void *target, const void *source, size_t count) {
  char *to = target;
  const char *from = source;
  size_t head = (size_t)(-(uintptr_t)to & 63);
  if (head > count) head = count;
  memcpy(to, from, head);
  size_t at = head;
  for (; at + 64 <= count; at += 64) {
    __m128i a = _mm_loadu_si128((const __m128i *)(from + at)), b = _mm_loadu_si128((const __m128i *)(from + at + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(from + at + 32));
    __m128i d = _mm_loadu_si128((const __m128i *)(from + at + 48));
    _mm_stream_si128((__m128i *)(to + at), a);
    _mm_stream_si128((__m128i *)(to + at + 16), b);
    _mm_stream_si128((__m128i *)(to + at + 32), c);
    _mm_stream_si128((__m128i *)(to + at + 48), d);
  }
  memcpy(to + at, from + at, count - at);
  _mm_sfence();
}

#else

enum cscan_level cscan_best_level(void) { return CSCAN_NONE; }

size_t cscan_utf8(enum cscan_level level, const uint8_t *bytes, size_t count) {
  (void)level; (void)bytes; (void)count;
  return 0;
}

struct cscan_found cscan_csv_fields(
  enum cscan_level level, struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks,
  uint32_t *odds) {
  (void)level; (void)state; (void)bytes; (void)from; (void)to; (void)breaks; (void)odds;
  return (struct cscan_found){0, 0};
}

struct cscan_found cscan_csv_fields_flagged(
  enum cscan_level level, struct cscan_csv *state, const uint8_t *bytes, size_t from, size_t to, uint32_t *breaks,
  uint32_t *odds, uint8_t *flags) {
  (void)flags;
  return cscan_csv_fields(level, state, bytes, from, to, breaks, odds);
}

size_t cscan_csv_rows(struct cscan_rows *rows) {
  (void)rows;
  return 0;
}

ptrdiff_t cscan_csv_unquote(const uint8_t *bytes, size_t count, uint8_t quote, uint8_t *target) {
  (void)bytes; (void)count; (void)quote; (void)target;
  return -1;
}

void cscan_copy_out(void *target, const void *source, size_t count) { memcpy(target, source, count); }

#endif
