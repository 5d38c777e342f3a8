#define _GNU_SOURCE
#include "pages.h"
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  BUFFERED = 64,                       /* pages */
  FLUSHED = 2048,                      /* pages after which the disk is told to begin */
  ENTRY = 5, ENTRIES = PAGE / ENTRY,   /* of a page of the pointer map */
  PENDING = (1 << 30) / PAGE + 1       /* the page with the bytes that SQLite locks (1.4) */
};

struct pages {
  int descriptor;
  const char *path;
  uint32_t first, next;                /* the buffer holds the pages from `first` up to `next` */
  uint32_t flushed;                    /* the disk has begun with the pages before this one */
  uint8_t *buffer;
  uint8_t *map;                        /* an entry for each page, by its number */
  uint32_t mapped;
};

/* Pages 2, 822, 1642 ... hold the pointer map, each the entries of the 819 pages behind it (3.8). PENDING is none of them. */
static bool is_reserved(uint32_t page) { return page == PENDING || (page - 2) % (ENTRIES + 1) == 0; }

static void write_at(const struct pages *pages, const void *bytes, size_t count, uint32_t page) {
  off_t at = (off_t)(page - 1) * PAGE;
  for (const char *from = bytes; count;) {
    ssize_t n = pwrite(pages->descriptor, from, count, at);
    if (n < 0) die_errno(pages->path);
    from += n, at += n, count -= (size_t)n;
  }
}

static void read_at(const struct pages *pages, void *bytes, size_t count, uint32_t page) {
  if (pread(pages->descriptor, bytes, count, (off_t)(page - 1) * PAGE) != (ssize_t)count) die_errno(pages->path);
}

static void flush(struct pages *pages) {
  write_at(pages, pages->buffer, (size_t)(pages->next - pages->first) * PAGE, pages->first);
  pages->first = pages->next;
  if (pages->first - pages->flushed < FLUSHED) return;
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(pages->descriptor, (off_t)(pages->flushed - 1) * PAGE, (off_t)(pages->first - pages->flushed) * PAGE,
                  SYNC_FILE_RANGE_WRITE);
#endif
  pages->flushed = pages->first;
}

/* Leaves out what no b-tree may use; the pages of the map are written at the end. */
static void skip_reserved(struct pages *pages) {
  while (is_reserved(pages->next)) {
    memset(pages->buffer + (size_t)(pages->next - pages->first) * PAGE, 0, PAGE);
    if (++pages->next - pages->first == BUFFERED) flush(pages);
  }
}

struct pages *pages_open(const char *path) {
  struct pages *pages = resize(NULL, sizeof *pages);
  *pages = (struct pages){.path = path, .descriptor = open(path, O_RDWR | O_CLOEXEC)};
  struct stat status;
  if (pages->descriptor < 0 || fstat(pages->descriptor, &status)) die_errno(path);
  pages->first = pages->next = pages->flushed = (uint32_t)(status.st_size / PAGE) + 1;
  if (pages->next < 3 || pages->next > ENTRIES) die("%s: not a new store with auto_vacuum", path);
  pages->buffer = aligned_alloc(PAGE, BUFFERED * PAGE);
  if (!pages->buffer) die("no memory");
  pages->mapped = ENTRIES + 3;
  pages->map = resize(NULL, pages->mapped * ENTRY);
  read_at(pages, pages->map + 3 * ENTRY, ENTRIES * ENTRY, 2);
  skip_reserved(pages);
  return pages;
}

uint32_t pages_next(const struct pages *pages) { return pages->next; }

uint32_t pages_after(uint32_t page) {
  do page++; while (is_reserved(page));
  return page;
}

void pages_append(struct pages *pages, const uint8_t *bytes) {
  memcpy(pages->buffer + (size_t)(pages->next - pages->first) * PAGE, bytes, PAGE);
  if (++pages->next - pages->first == BUFFERED) flush(pages);
  skip_reserved(pages);
}

void pages_replace(struct pages *pages, uint32_t page, const uint8_t *bytes) { write_at(pages, bytes, PAGE, page); }

void pages_map(struct pages *pages, uint32_t page, enum page_type type, uint32_t parent) {
  if (page >= pages->mapped) {
    pages->mapped = page / 2 * 3;
    pages->map = resize(pages->map, (size_t)pages->mapped * ENTRY);
  }
  uint8_t *entry = pages->map + (size_t)page * ENTRY;
  *entry = (uint8_t)type;
  put32(entry + 1, parent);
}

void pages_close(struct pages *pages) {
  flush(pages);
  uint32_t last = pages->next - 1;
  while (is_reserved(last)) last--;
  for (uint32_t at = 2; at < last; at += ENTRIES + 1) {
    uint8_t page[PAGE] = {0};
    uint32_t count = last - at < ENTRIES ? last - at : ENTRIES;
    memcpy(page, pages->map + (size_t)(at + 1) * ENTRY, count * ENTRY);
    /* The pending page has no parent. */
    if (at < PENDING && PENDING <= at + count) memset(page + (PENDING - at - 1) * ENTRY, 0, ENTRY);
    write_at(pages, page, PAGE, at);
  }
  /* The header (1.3): the counter of changes, the file's size, and the counter for which that size holds. */
  uint8_t header[100];
  read_at(pages, header, sizeof header, 1);
  put32(header + 24, get32(header + 24) + 1);
  put32(header + 28, last);
  memcpy(header + 92, header + 24, 4);
  write_at(pages, header, sizeof header, 1);
  if (ftruncate(pages->descriptor, (off_t)last * PAGE) || close(pages->descriptor)) die_errno(pages->path);
  free(pages->buffer);
  free(pages->map);
  free(pages);
}
