#include "keys.h"
#include "spill.h"
#include "tree.h"
#include <immintrin.h>

enum {
  PARTS = 128, BLOCK = 8192,
  ENTRY = 6,                           /* bytes of a key's row, which is not 0, and length */
  LONGEST = KEY_MAX - 10,              /* with header and row it fits an index page */
  DIGIT = 11, DIGITS = 3, PLACE = 64 - DIGIT * DIGITS
};

static const uint32_t NONE = UINT32_MAX;

/* A block that is being filled, and the spilled ones before it. */
struct part { uint32_t keys, used, last, blocks; char *block; };

struct texts {
  int file;
  uint32_t blocks, *before;            /* spilled blocks, and for each the one before it in its part */
  struct part parts[PARTS];
  uint8_t part_of[1 << 16];            /* by the first two bytes */
};

static inline uint32_t first_two(struct slice key) {
  return (uint32_t)(uint8_t)key.bytes[0] << 8 | (key.count > 1 ? (uint8_t)key.bytes[1] : 0);
}

struct texts *texts_begin(const char *near, const struct slice *sample, size_t count) {
  struct texts *texts = calloc(1, sizeof *texts);
  uint32_t *counts = calloc(1 << 16, sizeof *counts);
  if (!texts || !counts) die("no memory");
  texts->file = spill_open(near);
  for (size_t i = 0; i < count; i++) counts[first_two(sample[i])]++;
  size_t below = 0;
  for (uint32_t i = 0; i < 1 << 16; below += counts[i++])
    texts->part_of[i] = (uint8_t)(below < count ? below * PARTS / count : PARTS - 1);
  free(counts);
  for (int i = 0; i < PARTS; i++) {
    texts->parts[i].last = NONE;
    texts->parts[i].block = resize(NULL, BLOCK);
  }
  return texts;
}

static void spill(struct texts *texts, struct part *part) {
  memset(part->block + part->used, 0, BLOCK - part->used);
  spill_write(texts->file, part->block, BLOCK, (uint64_t)texts->blocks * BLOCK);
  if ((texts->blocks & (texts->blocks - 1)) == 0)
    texts->before = resize(texts->before, (texts->blocks * 2 + 1) * sizeof *texts->before);
  texts->before[texts->blocks] = part->last;
  part->last = texts->blocks++;
  part->blocks++;
  part->used = 0;
}

void texts_add(struct texts *texts, struct slice key, uint32_t row) {
  if (key.count > LONGEST) die("a key of %u bytes, more than an index page takes", key.count);
  struct part *part = texts->parts + texts->part_of[first_two(key)];
  if (part->used + ENTRY + key.count > BLOCK) spill(texts, part);
  char *entry = part->block + part->used;
  uint16_t count = (uint16_t)key.count;
  memcpy(entry, &row, 4);
  memcpy(entry + 4, &count, 2);
  memcpy(entry + ENTRY, key.bytes, key.count);
  part->used += ENTRY + key.count;
  part->keys++;
}

/* ---- Sorting a part -------------------------------------------------------------------------------------- */

/* Where a part lies in memory, and two arrays of its keys. Static, for the comparison. */
static struct { char *bytes; uint64_t *keys, *spare; uint32_t *places; size_t size, count; } work;

static inline struct slice key_at(uint32_t place) {
  uint16_t count;
  memcpy(&count, work.bytes + place + 4, 2);
  return (struct slice){work.bytes + place + ENTRY, count};
}

/* Reads the part and notes the place of each key. */
static void gather(const struct texts *texts, const struct part *part) {
  size_t size = (size_t)part->blocks * BLOCK + part->used;
  if (size >> PLACE) die("%zu bytes of keys in one part", size);
  if (size + 8 > work.size) work.bytes = resize(work.bytes, work.size = size * 5 / 4 + 8);
  if (part->keys > work.count) {
    work.count = part->keys + part->keys / 4;
    work.keys = resize(work.keys, work.count * sizeof *work.keys);
    work.spare = resize(work.spare, work.count * sizeof *work.spare);
    work.places = resize(work.places, work.count * sizeof *work.places);
  }
  char *at = work.bytes;
  for (uint32_t block = part->last; block != NONE; block = texts->before[block], at += BLOCK)
    spill_read(texts->file, at, BLOCK, (uint64_t)block * BLOCK);
  memcpy(at, part->block, part->used);
  uint32_t *place = work.places, row;
  for (size_t from = 0; from < size; from += BLOCK) {
    size_t end = size - from < BLOCK ? size : from + BLOCK;
    for (size_t i = from; i + ENTRY <= end && (memcpy(&row, work.bytes + i, 4), row); i += ENTRY + key_at((uint32_t)i).count)
      *place++ = (uint32_t)i;
  }
}

/* The bits in which keys differ, without those between them that do not: letters and digits have five in eight or so. */
static inline uint64_t squeeze(uint64_t prefix, uint64_t differing, int bits) {
#if defined(__BMI2__)
  return _pext_u64(prefix, differing) << (64 - bits);
#else
  (void)bits;
  return differing ? prefix << __builtin_clzll(differing) : 0;
#endif
}

static int compare(const void *left, const void *right) {
  uint64_t mask = (UINT64_C(1) << PLACE) - 1;
  struct slice a = key_at((uint32_t)(*(const uint64_t *)left & mask)), b = key_at((uint32_t)(*(const uint64_t *)right & mask));
  int order = memcmp(a.bytes, b.bytes, a.count < b.count ? a.count : b.count);
  return order ? order : (a.count > b.count) - (a.count < b.count);
}

/* Sorts by the first 33 differing bits of the first eight bytes, and where these are equal by comparison. A sorted word has
 * the 33 bits and the place of the key. Returns false when a key repeats. */
static bool sort_part(uint32_t count) {
  uint64_t any = 0, all = ~any;
  for (uint32_t i = 0; i < count; i++) {
    struct slice key = key_at(work.places[i]);
    uint64_t prefix = __builtin_bswap64(load64(key.bytes));
    if (key.count < 8) prefix &= ~(~UINT64_C(0) >> key.count * 8);
    work.keys[i] = prefix;
    any |= prefix;
    all &= prefix;
  }
  uint64_t differing = any ^ all;
  int bits = __builtin_popcountll(differing);
  static uint32_t starts[DIGITS][1 << DIGIT];
  memset(starts, 0, sizeof starts);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t word = bits ? squeeze(work.keys[i], differing, bits) : 0;
    work.keys[i] = word = word >> PLACE << PLACE | work.places[i];
    for (int d = 0; d < DIGITS; d++) starts[d][word >> (PLACE + d * DIGIT) & ((1 << DIGIT) - 1)]++;
  }
  for (int d = 0; d < DIGITS; d++) {
    for (uint32_t i = 0, at = 0; i < 1 << DIGIT; i++) {
      uint32_t n = starts[d][i];
      starts[d][i] = at;
      at += n;
    }
    for (uint32_t i = 0; i < count; i++) {
      uint64_t word = work.keys[i];
      work.spare[starts[d][word >> (PLACE + d * DIGIT) & ((1 << DIGIT) - 1)]++] = word;
    }
    uint64_t *swap = work.keys;
    work.keys = work.spare;
    work.spare = swap;
  }
  for (uint32_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && work.keys[end] >> PLACE == work.keys[i] >> PLACE;) end++;
    if (end - i == 1) continue;
    qsort(work.keys + i, end - i, sizeof *work.keys, compare);
    for (uint32_t n = i + 1; n < end; n++)
      if (compare(work.keys + n - 1, work.keys + n) == 0) return false;
  }
  return true;
}

bool texts_finish(struct texts *texts, void (*take)(void *owner, struct slice key, uint32_t row), void *owner) {
  bool is_unique = true;
  for (int p = 0; p < PARTS; p++) {
    struct part *part = texts->parts + p;
    if (part->keys && is_unique) {
      gather(texts, part);
      is_unique = sort_part(part->keys);
      for (uint32_t i = 0; is_unique && i < part->keys; i++) {
        uint32_t place = (uint32_t)(work.keys[i] & ((UINT64_C(1) << PLACE) - 1)), row;
        memcpy(&row, work.bytes + place, 4);
        take(owner, key_at(place), row);
      }
    }
    free(part->block);
  }
  spill_close(texts->file);
  free(texts->before);
  free(texts);
  return is_unique;
}
