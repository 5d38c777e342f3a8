#define _GNU_SOURCE
#include "CCommand.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

/* What is mapped without the permission to write is as the file has it: the system brings it again when it is used. */
static int let_go(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size;
  (void)unused;
  /* Not the system's own pages. */
  if (strncmp(object->dlpi_name, "linux-", 6) == 0) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    /* A loader that puts addresses into code says so; nobody links like that any more. */
    if (part->p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (void *)(object->dlpi_addr + part->p_vaddr); entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 0;
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_filesz) & ~(page - 1);
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void ccommand_let_code_go(void) { dl_iterate_phdr(let_go, NULL); }

/* What is large goes back to the system when it is freed: the C library would keep it for the next time, and what the
 * stages of a run take would add up. */
static void keep_little_memory(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

void ccommand_keep_freed_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
#else
void ccommand_let_code_go(void) {}
void ccommand_keep_freed_memory(void) {}
static void keep_little_memory(void) {}
#endif

static int argument_count;
static char **arguments;
static atomic_int is_listening, requests, hangups;

int ccommand_argument_count(void) { return argument_count; }
const char *ccommand_argument(int index) { return arguments[index]; }
void ccommand_listen(void) { atomic_store(&is_listening, 1); }

int ccommand_is_stop_requested(void) {
  return atomic_load_explicit(&requests, memory_order_relaxed) > 0 ||
         atomic_load_explicit(&hangups, memory_order_relaxed) > 0;
}

/* Nothing but what is safe in a handler. */
static void hear(int number) {
  if (!atomic_load(&is_listening)) {
    static const char words[] = "mergewalk: stopped by a signal\n";
    if (write(2, words, sizeof words - 1) < 0) {
    }
    _exit(4);
  }
  /* A session that ends sends SIGHUP beside SIGTERM, and more than once: that is one request. */
  if (number == SIGHUP) {
    atomic_store(&hangups, 1);
    return;
  }
  if (atomic_fetch_add(&requests, 1) == 0) return;
  signal(number, SIG_DFL);
  raise(number);
}

/* The loader calls this before main, with main's arguments. The tests contain the command's code, too: there nothing is
 * done about signals. Everything else is the command, whatever a user has called it. */
__attribute__((constructor)) static void begin(int count, char **values, char **environment) {
  (void)environment;
  argument_count = count;
  arguments = values;
  const char *name = count > 0 ? strrchr(values[0], '/') : NULL;
  name = name ? name + 1 : count > 0 ? values[0] : "";
  if (strstr(name, "xctest") || strstr(name, "testing-helper")) return;
  keep_little_memory();
  /* A reader that goes away shows as EPIPE of write, a limit of file sizes as EFBIG. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = hear;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigset_t heard;
  sigemptyset(&heard);
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (int i = 0; i < 3; i++) {
    struct sigaction before;
    /* What was started with nohup is to outlast its session. */
    if (numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(numbers[i], &action, NULL);
    sigaddset(&heard, numbers[i]);
  }
  /* A parent that starts processes from a thread with blocked signals hands its mask on. */
  pthread_sigmask(SIG_UNBLOCK, &heard, NULL);
}
