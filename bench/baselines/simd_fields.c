/* Finds the fields of a CSV file (RFC 4180, LF or CRLF) and does nothing with them: for every field the offset behind
 * its last byte goes into an array that is used again for the next piece of the file. No UTF-8 check, no unescaping,
 * no lone CR, no check of the number of fields. What a reader can hope for at most on one core.
 *
 * 64 bytes at a time: a bit mask of quotes, whose prefix XOR (a carry-less product by all ones) says which bytes are
 * inside quotes, and a mask of separators, of which those outside quotes are taken.
 *
 *   simd_fields FILE [--check]
 *
 * Written for this benchmark after the method of Langdale and Lemire, "Parsing Gigabytes of JSON per Second",
 * The VLDB Journal 28 (2019), https://arxiv.org/abs/1902.08318. */
#define _GNU_SOURCE
#include "reader.h"
#include <fcntl.h>
#include <immintrin.h>
#include <unistd.h>

enum { PIECE = 1 << 18 };

/* A field that is cut by the end of a piece is moved to the front, so the buffer is as long as two pieces. */
static char buffer[2 * PIECE + 64];
static uint32_t ends[2 * PIECE + 64];

#if defined(__AVX512BW__) && defined(USE_AVX512)
static inline uint64_t equal_mask(const char *bytes, char c) {
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8(c));
}
#elif defined(__AVX2__)
static inline uint64_t equal_mask(const char *bytes, char c) {
  __m256i needle = _mm256_set1_epi8(c);
  __m256i low = _mm256_loadu_si256((const __m256i *)bytes), high = _mm256_loadu_si256((const __m256i *)(bytes + 32));
  return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, needle)) |
         (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, needle)) << 32;
}
#else
static inline uint64_t equal_mask(const char *bytes, char c) {
  uint64_t mask = 0;
  for (int i = 0; i < 4; i++) {
    __m128i block = _mm_loadu_si128((const __m128i *)(bytes + 16 * i));
    mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(c))) << (16 * i);
  }
  return mask;
}
#endif

static inline uint64_t prefix_xor(uint64_t mask) {
#if defined(__PCLMUL__)
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)mask), _mm_set1_epi8(-1), 0));
#else
  for (int shift = 1; shift < 64; shift *= 2) mask ^= mask << shift;
  return mask;
#endif
}

/* Writes the ends of the fields of buffer[from..<to], and returns how many. `inside` is all ones within quotes. */
static size_t find_fields(size_t from, size_t to, uint64_t *inside_at) {
  uint32_t *out = ends;
  uint64_t carry = *inside_at;
  for (size_t at = from; at < to; at += 64) {
    uint64_t valid = to - at < 64 ? (UINT64_C(1) << (to - at)) - 1 : ~UINT64_C(0);
    const char *bytes = buffer + at;
    uint64_t inside = prefix_xor(equal_mask(bytes, '"') & valid) ^ carry;
    uint64_t found = (equal_mask(bytes, ',') | equal_mask(bytes, '\n')) & ~inside & valid;
    carry = (uint64_t)((int64_t)inside >> 63);
    if (!found) continue;
    /* Eight at a time, whether they are there or not, as most blocks have about so many. */
    int count = __builtin_popcountll(found);
    uint32_t *next = out + count;
    do {
      for (int i = 0; i < 8; i++) {
        out[i] = (uint32_t)(at + (size_t)__builtin_ctzll(found | UINT64_C(1) << 63));
        found &= found - 1;
      }
      out += 8;
    } while (out < next);
    out = next;
  }
  *inside_at = carry;
  return (size_t)(out - ends);
}

/* The value of a field: without CR at a line's end, without quotes. */
static void check_field(struct totals *totals, size_t from, size_t to) {
  bool is_last = buffer[to] == '\n';
  if (is_last && to > from && buffer[to - 1] == '\r') to--;
  if (to - from >= 2 && buffer[from] == '"') {
    from++;
    to--;
    for (; from < to; from++) {
      hash_byte(totals, (unsigned char)buffer[from]);
      if (buffer[from] == '"') from++;
    }
  } else {
    for (; from < to; from++) hash_byte(totals, (unsigned char)buffer[from]);
  }
  hash_end(totals);
}

int main(int argc, char **argv) {
  bool check = argc == 3 && !strcmp(argv[2], "--check");
  if (argc != 2 + check) die("usage: simd_fields FILE [--check]");
  struct totals totals = start_totals();
  int descriptor = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) die("cannot open the file");
  size_t kept = 0, columns = 0;
  uint64_t inside = 0, fields = 0, trailing = 0;
  bool first = true;
  for (;;) {
    ssize_t got = read(descriptor, buffer + kept, PIECE);
    if (got < 0) die("cannot read the file");
    size_t end = kept + (size_t)got;
    if (got == 0) {
      /* A last line without a line end. */
      if (kept == 0) break;
      buffer[end++] = '\n';
      trailing = 1;
    }
    size_t count = find_fields(kept, end, &inside);
    fields += count;
    size_t from = 0;
    if (first) {
      /* The header: its fields are counted, so that there are as many records as there must be. */
      for (; columns < count; columns++) if (buffer[ends[columns]] == '\n') break;
      if (columns == count) die("no header");
      columns++;
      fields -= columns;
      first = false;
      if (check) from = ends[columns - 1] + 1;
    }
    if (check) {
      for (size_t i = columns && from ? columns : 0; i < count; i++) {
        check_field(&totals, from, ends[i]);
        from = ends[i] + 1;
      }
    }
    size_t start = count ? ends[count - 1] + 1 : 0;
    kept = end - start;
    if (kept > PIECE) die("a field is too long for this program");
    memmove(buffer, buffer + start, kept);
    if (trailing) break;
  }
  totals.fields = fields;
  totals.records = fields / columns;
  if (fields % columns) die("not every record has as many fields as the header");
  print_totals(&totals, check);
  return 0;
}
