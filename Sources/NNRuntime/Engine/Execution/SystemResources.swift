#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The threads and memory that the system grants this process, measured by asking for them.
///
/// Unsafe where threads are started and memory is mapped.
package enum SystemResources {
  /// How many of `count` threads can be there at once beside those of now; they are started, and ended again.
  package static func startableThreads(upTo count: Int) -> Int {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    unsafe pthread_mutex_init(gate, nil)
    unsafe pthread_mutex_lock(gate)
    var threads: [pthread_t] = []
    while threads.count < count {
      var thread = pthread_t()
      let status = unsafe pthread_create(
        &thread, nil,
        { gate in
          let gate = unsafe gate!.assumingMemoryBound(to: pthread_mutex_t.self)
          unsafe pthread_mutex_lock(gate)
          unsafe pthread_mutex_unlock(gate)
          return nil
        }, gate)
      guard status == 0 else { break }
      threads.append(thread)
    }
    unsafe pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    unsafe pthread_mutex_destroy(gate)
    unsafe gate.deallocate()
    return threads.count
  }

  /// Names the calling thread for tools such as top, perf and gdb, in at most 15 bytes.
  static func nameThread(_ name: String) {
    #if canImport(Darwin)
      pthread_setname_np(name)
    #else
      // Glibc declares the function for C with extensions alone.
      let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = unsafe write(file, name, name.utf8.count)
      close(file)
    #endif
  }

  /// Whether memory of so many bytes can be had in one piece; it is given back untouched.
  package static func canMap(bytes: Int) -> Bool {
    let address = unsafe mmap(
      nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard unsafe address != MAP_FAILED else { return false }
    unsafe munmap(address, bytes)
    return true
  }

  /// Bytes of address space that the process may have (`ulimit -v`); `Int.max` for any.
  package static var addressSpaceBytes: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Bytes of the stack of a new thread, and the most of the first thread's.
  package static var stackBytes: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }
}
