// What Glibc's Swift overlay does not offer: renaming with flags, and a handler of SIGBUS that uses nothing
// but async-signal-safe calls.
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Renames with RENAME_NOREPLACE (1) or RENAME_EXCHANGE (2); 0, or -1 with errno set.
static inline int ardf_rename(const char *from, const char *to, unsigned flags) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

enum { ardf_mapping_slots = 1024 };

typedef struct {
  uintptr_t start;  // 0: free, 1: being filled
  uintptr_t end;
  const char *path;
} ardf_mapping;

/// What the handler of SIGBUS knows.
typedef struct {
  ardf_mapping mappings[ardf_mapping_slots];
  int status;
  int notify;
  int seen;
} ardf_faults;

/// The one table; each object file that calls this has its own, so all calls are in MappedFileFaults.swift.
static inline ardf_faults *ardf_fault_table(void) {
  static ardf_faults table;
  return &table;
}

/// Enters a mapping and returns its slot, -1 where the table is full.
static inline int ardf_enter_mapping(uintptr_t start, uintptr_t end, const char *path) {
  ardf_mapping *mappings = ardf_fault_table()->mappings;
  for (int slot = 0; slot < ardf_mapping_slots; ++slot) {
    uintptr_t vacant = 0;
    if (!__atomic_compare_exchange_n(&mappings[slot].start, &vacant, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    mappings[slot].end = end;
    mappings[slot].path = path;
    __atomic_store_n(&mappings[slot].start, start, __ATOMIC_RELEASE);
    return slot;
  }
  return -1;
}

static inline void ardf_leave_mapping(int slot) {
  __atomic_store_n(&ardf_fault_table()->mappings[slot].start, 0, __ATOMIC_RELEASE);
}

static inline void ardf_say(const char *text) {
  size_t length = strlen(text);
  while (length > 0) {
    ssize_t written = write(2, text, length);
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}

static inline void ardf_on_bus_error(int number, siginfo_t *info, void *context) {
  (void)context;
  ardf_faults *table = ardf_fault_table();
  uintptr_t address = (uintptr_t)info->si_addr;
  for (int slot = 0; slot < ardf_mapping_slots; ++slot) {
    uintptr_t start = __atomic_load_n(&table->mappings[slot].start, __ATOMIC_ACQUIRE);
    if (start <= 1 || address < start || address >= table->mappings[slot].end) continue;
    // The first thread to fault tells it; the others wait for the end.
    if (!__atomic_exchange_n(&table->seen, 1, __ATOMIC_ACQ_REL)) {
      ardf_say("ardf: ");
      ardf_say(table->mappings[slot].path);
      ardf_say(": cannot be read to its end: it was cut short while in use, or its disk fails; "
               "replace files by renaming, never in place\n");
      if (table->notify == 0) _exit(table->status);
      kill(getpid(), table->notify);
    }
    for (;;) pause();
  }
  // No file of ours: die of it as without a handler, when the instruction is tried again.
  signal(number, SIG_DFL);
}

/// Lets a SIGBUS inside a mapped file end the process with `status` and one line that names the file.
///
/// With `notify` other than 0 that signal is sent to the process instead, whose receiver ends it.
static inline int ardf_install_fault_handler(int status, int notify) {
  ardf_fault_table()->status = status;
  ardf_fault_table()->notify = notify;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = ardf_on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, 0);
}

static inline int ardf_fault_was_seen(void) {
  return __atomic_load_n(&ardf_fault_table()->seen, __ATOMIC_ACQUIRE);
}
