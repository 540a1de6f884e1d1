// Functions that Glibc's Swift overlay lacks: renaming with flags, programs that end with this process, and a handler of
// SIGBUS that uses nothing but async-signal-safe calls.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Renames with RENAME_NOREPLACE (1) or RENAME_EXCHANGE (2); 0, or -1 with errno set.
static inline int ardf_rename(const char *from, const char *to, unsigned flags) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

/// Whether this process was told to ignore a signal.
static inline int ardf_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// The reading and the writing end of a pipe, closed where a program is started; 0, or -1 with errno set.
static inline int ardf_pipe(int *ends) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

/// A file in memory that has no name, closed where a program is started; -1 with errno set.
static inline int ardf_nameless_file(void) { return (int)syscall(SYS_memfd_create, "ardf", 1u); }
/// Begins to bring what was written to a file to its disk (2: SYNC_FILE_RANGE_WRITE), where the file system can.
static inline void ardf_begin_synchronizing(int file) { (void)syscall(SYS_sync_file_range, file, 0L, 0L, 2u); }
/* Frees the memory of a file before a position; its size stays (3: PUNCH_HOLE and KEEP_SIZE). */
static inline int ardf_free_before(int file, long end) { return (int)syscall(SYS_fallocate, file, 3, 0L, end); }

typedef struct {
  char *const *words;
  int input, output, messages;
  pid_t parent, child;
  int failure;
  sem_t started;
} ardf_program;

/// In the child: takes on the standard streams, in a process group of its own, and becomes the program.
static inline int ardf_become(const ardf_program *program) {
  // SIGKILL when the thread that started it ends, which waits for it.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  if (getppid() != program->parent) _exit(127);
  setpgid(0, 0);
  int input = program->input >= 0 ? program->input : open("/dev/null", O_RDONLY | O_CLOEXEC);
  int output = program->output >= 0 ? program->output : open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(program->messages, 2) < 0) return errno;
  // What this process ignores, or waits for in a thread of its own, is the program's to take as usual.
  for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  execv(program->words[0], program->words);
  return errno;
}

static inline void *ardf_run_program(void *argument) {
  ardf_program *program = (ardf_program *)argument;
  int ends[2] = {-1, -1};
  pid_t child = -1;
  int failure = ardf_pipe(ends) == 0 ? 0 : errno;
  if (failure == 0) {
    child = fork();
    if (child == 0) {
      failure = ardf_become(program);
      if (write(ends[1], &failure, sizeof failure) < 0) _exit(126);
      _exit(127);
    }
    if (child < 0) failure = errno;
    close(ends[1]);
    // Nothing comes where it has become the program.
    while (child > 0 && read(ends[0], &failure, sizeof failure) < 0 && errno == EINTR) {}
    close(ends[0]);
    if (child > 0) setpgid(child, child);
    if (child > 0 && failure != 0) {
      while (waitpid(child, 0, 0) < 0 && errno == EINTR) {}
      child = -1;
    }
  }
  program->child = child;
  program->failure = failure;
  sem_post(&program->started);
  // `program` is the caller's again. The child is left to it, too.
  siginfo_t end;
  while (child > 0 && waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  return 0;
}

/// Starts a program, a path and its arguments, that the end of this process ends; its id, or -1 with `failure` set.
///
/// `input`, `output`: -1 for none. A thread waits beside it, since the system takes the end of the thread that started
/// a child for the end of its parent.
static inline pid_t ardf_spawn(char *const *words, int input, int output, int messages, int *failure) {
  ardf_program program = {words, input, output, messages, getpid(), -1, 0};
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 18);
  sem_init(&program.started, 0, 0);
  *failure = pthread_create(&thread, &attributes, ardf_run_program, &program);
  pthread_attr_destroy(&attributes);
  if (*failure == 0) {
    while (sem_wait(&program.started) < 0 && errno == EINTR) {}
    *failure = program.failure;
  }
  sem_destroy(&program.started);
  return program.child;
}

enum { ardf_mapping_slots = 1024 };

typedef struct {
  uintptr_t start;  // 0: free, 1: being filled
  uintptr_t end;
  const char *path;
} ardf_mapping;

/// The state of the handler of SIGBUS: known mappings, exit status, the signal to send, and whether there was a fault.
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
