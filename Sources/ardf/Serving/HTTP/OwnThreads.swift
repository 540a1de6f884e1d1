import Foundation
import Synchronization

/// Runs tasks on dedicated threads: they neither delay nor wait for work on the process's shared pool.
///
/// Unsafe where the runtime's jobs are handed on.
package final class OwnThreads: TaskExecutor {
  /// Jobs that wait; each holds the executor, so that it outlives them.
  private final class Waiting: Sendable {
    private let jobs = Mutex<[(job: UnownedJob, executor: OwnThreads)?]>([])
    private let count = DispatchSemaphore(value: 0)

    /// Adds a job, or the end of one thread.
    func add(_ job: (UnownedJob, OwnThreads)?) {
      jobs.withLock { $0.append(job) }
      count.signal()
    }

    /// Waits for the next job; nil ends the thread.
    func next() -> (job: UnownedJob, executor: OwnThreads)? {
      count.wait()
      return jobs.withLock { $0.removeFirst() }
    }
  }

  private let waiting = Waiting()
  private let threads: Int

  package init(name: String, count: Int) {
    threads = count
    for _ in 0..<count {
      let waiting = waiting
      let thread = Thread {
        while let next = waiting.next() {
          unsafe next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
        }
      }
      thread.name = name
      thread.start()
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) { waiting.add((UnownedJob(job), self)) }

  deinit { for _ in 0..<threads { waiting.add(nil) } }
}
