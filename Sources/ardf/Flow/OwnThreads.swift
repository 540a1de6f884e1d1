import Foundation

/// Runs tasks on threads of its own, so that long computations never hold up the tasks that answer requests.
///
/// Unsafe where the runtime's jobs are handed on.
final class OwnThreads: TaskExecutor {
  private let queue = OperationQueue()

  init(name: String, count: Int) {
    queue.name = name
    queue.maxConcurrentOperationCount = count
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
