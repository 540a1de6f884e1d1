// What ThreadSanitizer needs to know of Swift's Mutex; preloaded by tools/prove/sanitize.
//
// Mutex's fast path is compiled into our code, where the sanitizer sees its atomics. A thread that has to wait takes
// the lock in libswiftSynchronization, which is not built for the sanitizer (the kernel hands the lock over): every
// access under a contended Mutex would pass for a race. Both slow paths are called through here instead, and order
// what comes before the unlocking before what comes after the locking, as they do in truth.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// In any process without the sanitizer these are absent.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock_slowly(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slowly(uint32_t thread, SELF void *mutex) {
  SWIFT void (*lock)(uint32_t, SELF void *) = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK);
  lock(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slowly(SELF void *mutex) {
  SWIFT void (*unlock)(SELF void *) = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  unlock(mutex);
}
