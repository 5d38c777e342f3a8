#include "CScan.h"

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

size_t cscan_csv_rows(const struct cscan_rows *rows) { return rows_avx512(rows); }

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

size_t cscan_csv_rows(const struct cscan_rows *rows) {
  (void)rows;
  return 0;
}

#endif
