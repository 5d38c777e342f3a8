/* B-trees built from their leaves up, of rows or keys that come in order. */
#ifndef LIMIT_TREE_H
#define LIMIT_TREE_H
#include "pages.h"

/* What a row or key takes at most without an overflow page (https://sqlite.org/fileformat2.html, section 1.6). */
enum { ROW_MAX = PAGE - 35, KEY_MAX = (PAGE - 12) * 64 / 255 - 23 };

struct tree;
enum tree_kind { TABLE, INDEX };

/* A tree whose empty root is there. */
struct tree *tree_begin(struct pages *pages, uint32_t root, enum tree_kind kind);

/* Where the next record ends: at most PAGE bytes before this address are free for it. */
uint8_t *tree_end(struct tree *tree);

/* Takes the record that was written from `record` up to tree_end; of a row, with at most ROW_MAX bytes. */
void tree_row(struct tree *tree, uint32_t rowid, uint8_t *record);
void tree_key(struct tree *tree, uint8_t *record);

/* Takes a record from elsewhere, of any size. */
void tree_long_row(struct tree *tree, uint32_t rowid, const uint8_t *record, uint32_t count);

void tree_finish(struct tree *tree);
#endif
