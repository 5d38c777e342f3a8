#include "keys.h"
#include "spill.h"

enum { HELD = 1 << 15, RANGE = 1 << 20 };

struct numbers { int file; uint64_t spilled; uint32_t count, held[HELD]; };

struct numbers *numbers_begin(const char *near) {
  struct numbers *numbers = resize(NULL, sizeof *numbers);
  numbers->file = spill_open(near);
  numbers->spilled = numbers->count = 0;
  return numbers;
}

void numbers_add(struct numbers *numbers, uint32_t key) {
  numbers->held[numbers->count] = key;
  if (++numbers->count < HELD) return;
  spill_write(numbers->file, numbers->held, sizeof numbers->held, numbers->spilled * sizeof *numbers->held);
  numbers->spilled += HELD;
  numbers->count = 0;
}

/* The part of the keys that begins with the one at `at`; 0 at the end. What was never spilled is the last part. */
static uint32_t read_part(const struct numbers *numbers, uint64_t at, uint32_t *part, const uint32_t **keys) {
  if (at == numbers->spilled) {
    *keys = numbers->held;
    return numbers->count;
  }
  if (at > numbers->spilled) return 0;
  spill_read(numbers->file, part, sizeof numbers->held, at * sizeof *part);
  *keys = part;
  return HELD;
}

/* Reads all keys once to count them, then once for each range of keys that has about RANGE rows. */
void numbers_finish(struct numbers *numbers, uint32_t highest, void (*take)(void *owner, uint32_t key, uint32_t row), void *owner) {
  uint32_t *part = resize(NULL, sizeof numbers->held), *ends = calloc(highest + 1, sizeof *ends), *rows = NULL;
  if (!ends) die("no memory");
  const uint32_t *keys;
  uint32_t count;
  for (uint64_t at = 0; (count = read_part(numbers, at, part, &keys)); at += count)
    for (uint32_t i = 0; i < count; i++) ends[keys[i]]++;
  for (uint32_t from = 1, to; from <= highest; from = to) {
    /* From here on `ends` has, of the keys of this range, where their rows begin, and then where they end. */
    uint32_t total = 0;
    for (to = from; to <= highest && (to == from || total + ends[to] <= RANGE); to++) {
      uint32_t n = ends[to];
      ends[to] = total;
      total += n;
    }
    rows = resize(rows, (total + 1) * sizeof *rows);
    for (uint64_t at = 0; (count = read_part(numbers, at, part, &keys)); at += count)
      for (uint32_t i = 0; i < count; i++)
        if (keys[i] - from < to - from) rows[ends[keys[i]]++] = (uint32_t)(at + i) + 1;
    for (uint32_t key = from, i = 0; key < to; key++)
      for (; i < ends[key]; i++) take(owner, key, rows[i]);
  }
  spill_close(numbers->file);
  free(part);
  free(ends);
  free(rows);
  free(numbers);
}
