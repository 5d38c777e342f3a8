#include "tree.h"
#include "record.h"

enum { LEVELS = 8, CELLS = PAGE / 6, CHAINS = 8, DIVIDER = KEY_MAX + 16,
       ROW_MIN = (PAGE - 12) * 32 / 255 - 23 };

/* A page in the making. Cells go from its end down; the next may reach into `before` until it is known to be too long. */
struct node {
  uint8_t before[PAGE + 64], page[PAGE];
  uint16_t offsets[CELLS];             /* of the cells, big-endian */
  uint32_t count, top, header;
  uint32_t chains[CHAINS], chain_count;/* first overflow pages */
};

struct tree {
  struct pages *pages;
  uint32_t root, rowid;
  enum tree_kind kind;
  int top;
  struct node *levels[LEVELS];
};

static void clear(struct node *node) {
  node->count = node->chain_count = 0;
  node->top = PAGE;
}

static struct node *add_level(struct tree *tree, int level) {
  if (level == LEVELS) die("a tree of more than %d levels", LEVELS);
  struct node *node = tree->levels[level] = resize(NULL, sizeof *node);
  node->header = level ? 12 : 8;
  clear(node);
  tree->top = level;
  return node;
}

struct tree *tree_begin(struct pages *pages, uint32_t root, enum tree_kind kind) {
  struct tree *tree = resize(NULL, sizeof *tree);
  *tree = (struct tree){.pages = pages, .root = root, .kind = kind};
  add_level(tree, 0);
  return tree;
}

/* The page's header (1.6), and the parents of what it points to. */
static void complete(struct tree *tree, struct node *node, uint32_t right, uint32_t number) {
  uint8_t *page = node->page;
  bool is_leaf = node->header == 8;
  page[0] = (tree->kind == INDEX ? 2 : 5) + (is_leaf ? 8 : 0);
  put16(page + 1, 0);
  put16(page + 3, node->count);
  put16(page + 5, node->top);
  page[7] = 0;
  memcpy(page + node->header, node->offsets, node->count * 2);
  uint32_t end = node->header + node->count * 2;
  memset(page + end, 0, node->top - end);
  for (uint32_t i = 0; i < node->chain_count; i++) pages_map(tree->pages, node->chains[i], PAGE_OVERFLOW_FIRST, number);
  if (is_leaf) return;
  put32(page + 8, right);
  for (uint32_t i = 0; i < node->count; i++)
    pages_map(tree->pages, get32(page + __builtin_bswap16(node->offsets[i])), PAGE_TREE, number);
  pages_map(tree->pages, right, PAGE_TREE, number);
}

/* Appends the page to the file and begins the next; returns its number. */
static uint32_t write_node(struct tree *tree, struct node *node, uint32_t right) {
  uint32_t number = pages_next(tree->pages);
  complete(tree, node, right, number);
  pages_append(tree->pages, node->page);
  clear(node);
  return number;
}

static inline void push(struct node *node, uint32_t count) {
  node->top -= count;
  node->offsets[node->count++] = __builtin_bswap16((uint16_t)node->top);
}

static inline bool fits(const struct node *node, uint32_t count) {
  return node->header + 2 * node->count + 2 + count <= node->top;
}

/* Takes the last cell off; returns its size. A full page gives it away, so that the page after it is never empty. */
static uint32_t pop(struct node *node, uint8_t *cell) {
  uint32_t before = --node->count ? __builtin_bswap16(node->offsets[node->count - 1]) : PAGE, size = before - node->top;
  memcpy(cell, node->page + node->top, size);
  node->top = before;
  return size;
}

/* What stands between two pages goes one level up, with the number of the left one. */
static void add_divider(struct tree *tree, int level, uint32_t child, const uint8_t *cell, uint32_t count) {
  struct node *node = tree->levels[level] ? tree->levels[level] : add_level(tree, level);
  if (!fits(node, count + 4)) {
    uint8_t last[DIVIDER];
    uint32_t size = pop(node, last), number = write_node(tree, node, get32(last));
    add_divider(tree, level + 1, number, last + 4, size - 4);
  }
  push(node, count + 4);
  put32(node->page + node->top, child);
  memcpy(node->page + node->top + 4, cell, count);
}

/* A leaf of a table hands up the rowid of its last row, one of an index its last key. */
static void end_leaf(struct tree *tree) {
  struct node *leaf = tree->levels[0];
  uint8_t cell[DIVIDER], *from = cell;
  uint32_t count;
  if (tree->kind == INDEX) {
    count = pop(leaf, cell);
  } else {
    from = varint_before(cell + 16, tree->rowid);
    count = (uint32_t)(cell + 16 - from);
  }
  add_divider(tree, 1, write_node(tree, leaf, 0), from, count);
}

uint8_t *tree_end(struct tree *tree) { return tree->levels[0]->page + tree->levels[0]->top; }

/* Takes the cell that was written up to tree_end. */
static inline void take(struct tree *tree, const uint8_t *cell) {
  struct node *leaf = tree->levels[0];
  uint32_t count = (uint32_t)(leaf->page + leaf->top - cell);
  if (fits(leaf, count)) { push(leaf, count); return; }
  uint8_t copy[PAGE];
  memcpy(copy, cell, count);
  end_leaf(tree);
  push(leaf, count);
  memcpy(leaf->page + leaf->top, copy, count);
}

void tree_row(struct tree *tree, uint32_t rowid, uint8_t *record) {
  uint32_t count = (uint32_t)(tree_end(tree) - record);
  take(tree, varint_before(varint_before(record, rowid), count));
  tree->rowid = rowid;
}

void tree_key(struct tree *tree, uint8_t *record) {
  take(tree, varint_before(record, (uint32_t)(tree_end(tree) - record)));
}

/* Writes a chain of overflow pages (1.7); returns its first page. */
static uint32_t write_chain(struct pages *pages, const uint8_t *bytes, uint32_t count) {
  uint32_t first = pages_next(pages), before = 0;
  while (count) {
    uint8_t page[PAGE] = {0};
    uint32_t number = pages_next(pages), size = count < PAGE - 4 ? count : PAGE - 4;
    memcpy(page + 4, bytes, size);
    bytes += size;
    count -= size;
    if (count) put32(page, pages_after(number));
    if (before) pages_map(pages, number, PAGE_OVERFLOW, before);
    before = number;
    pages_append(pages, page);
  }
  return first;
}

void tree_long_row(struct tree *tree, uint32_t rowid, const uint8_t *record, uint32_t count) {
  if (count <= ROW_MAX) {
    tree_row(tree, rowid, memcpy(tree_end(tree) - count, record, count));
    return;
  }
  uint32_t local = ROW_MIN + (count - ROW_MIN) % (PAGE - 4);
  if (local > ROW_MAX) local = ROW_MIN;
  uint32_t chain = write_chain(tree->pages, record + local, count - local);
  uint8_t *end = tree_end(tree) - 4;
  put32(end, chain);
  memcpy(end - local, record, local);
  take(tree, varint_before(varint_before(end - local, rowid), count));
  tree->rowid = rowid;
  struct node *leaf = tree->levels[0];
  leaf->chains[leaf->chain_count++] = chain;
}

void tree_finish(struct tree *tree) {
  uint32_t right = 0;
  for (int level = 0; level < tree->top; level++) right = write_node(tree, tree->levels[level], right);
  complete(tree, tree->levels[tree->top], right, tree->root);
  pages_replace(tree->pages, tree->root, tree->levels[tree->top]->page);
  for (int level = 0; level <= tree->top; level++) free(tree->levels[level]);
  free(tree);
}
