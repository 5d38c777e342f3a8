/* Keys of an index, gathered in the order of their rows and handed out in their own. They wait in unlinked files, so memory
 * holds one part of them at a time. */
#ifndef LIMIT_KEYS_H
#define LIMIT_KEYS_H
#include "csv.h"

/* Foreign keys: row n + 1 has the nth key. Keys count from 1 without gaps, so counting sorts them. */
struct numbers;
struct numbers *numbers_begin(const char *near);
void numbers_add(struct numbers *numbers, uint32_t key);
/* Calls `take` for each key, in the order of keys, then rows, and frees all. `highest` is the highest key. */
void numbers_finish(struct numbers *numbers, uint32_t highest, void (*take)(void *owner, uint32_t key, uint32_t row), void *owner);

/* Unique texts. They are divided into parts that are sorted in memory one by one; a sample of the keys, such as the first
 * ones, says where, so parts are about equal when the sample is fair. */
struct texts;
struct texts *texts_begin(const char *near, const struct slice *sample, size_t count);
void texts_add(struct texts *texts, struct slice key, uint32_t row);
/* As numbers_finish. Returns false as soon as a key repeats. */
bool texts_finish(struct texts *texts, void (*take)(void *owner, struct slice key, uint32_t row), void *owner);
#endif
