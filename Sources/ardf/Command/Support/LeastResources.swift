import FileFormats
import NNRuntime

/// The least memory, stack and threads that Swift's runtime needs.
///
/// Swift's tasks run on threads of libdispatch, which waits for ever for a thread that the system refuses; an
/// allocation that fails ends the process with a signal, and so does a stack that is too small. Both are asked for
/// before the first task.
enum LeastResources {
  /// Memory beyond that at the start of the process, mebibytes.
  static let memory = 192
  /// Stack, kibibytes.
  static let stack = 512
  /// One per processor for tasks, and as many for a network; one for timers, and one to spare.
  static var threads: Int { 2 * ThreadPool.processors + 2 }

  static func check() throws(ResourcesError) {
    guard SystemResources.stackBytes >= stack << 10 else { throw .stack }
    guard SystemResources.canMap(bytes: memory << 20) else { throw .memory }
    let started = SystemResources.startableThreads(upTo: threads)
    guard started == threads else { throw .threads(started: started) }
  }
}

/// A resource that the system refuses.
package enum ResourcesError: ClassifiedError, CustomStringConvertible {
  case stack
  case memory
  case threads(started: Int)

  package var fault: Fault { .noResources }

  package var description: String {
    switch self {
    case .stack: "stacks are limited to less than \(LeastResources.stack) KiB: raise the limit (ulimit -s)"
    case .memory:
      "the system refuses \(LeastResources.memory) MiB of memory: raise the limit (ulimit -v, ulimit -d), or end "
        + "other programs"
    case .threads(let started):
      "the system starts \(started) of \(LeastResources.threads) threads: raise the limit of processes (ulimit -u, "
        + "or the container's) or of memory (ulimit -v)"
    }
  }
}
