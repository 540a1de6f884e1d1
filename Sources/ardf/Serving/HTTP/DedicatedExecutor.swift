import Dispatch
import Glibc
import Synchronization

/// Runs tasks on dedicated threads: they neither delay nor wait for work on the process's shared pool.
///
/// Unsafe where threads are started and the runtime's jobs are handed on.
package final class DedicatedExecutor: TaskExecutor {
  /// Jobs that wait; each holds the executor, so that it outlives them.
  private final class Waiting: Sendable {
    private let jobs = Mutex<[(job: UnownedJob, executor: DedicatedExecutor)?]>([])
    private let count = DispatchSemaphore(value: 0)
    /// The threads' name in tools such as top, of 15 bytes at most.
    private let name: String

    init(name: String) { self.name = name }

    /// Gives the calling thread its name.
    func nameThread() {
      let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { return }
      _ = unsafe write(file, name, name.utf8.count)
      close(file)
    }

    /// Adds a job, or the end of one thread.
    func add(_ job: (UnownedJob, DedicatedExecutor)?) {
      jobs.withLock { $0.append(job) }
      count.signal()
    }

    /// Waits for the next job; nil ends the thread.
    func next() -> (job: UnownedJob, executor: DedicatedExecutor)? {
      count.wait()
      return jobs.withLock { $0.removeFirst() }
    }
  }

  private let waiting: Waiting
  private let threads: Int

  package init(name: String, count: Int) {
    threads = count
    waiting = Waiting(name: name)
    for _ in 0..<count {
      let start = unsafe Unmanaged.passRetained(waiting)
      var thread = pthread_t()
      let status = unsafe pthread_create(
        &thread, nil,
        { context in
          let waiting = unsafe Unmanaged<Waiting>.fromOpaque(context!).takeRetainedValue()
          waiting.nameThread()
          while let next = waiting.next() {
            unsafe next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
          }
          return nil
        }, start.toOpaque())
      guard status == 0 else {
        unsafe start.release()
        break
      }
      pthread_detach(thread)
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) { waiting.add((UnownedJob(job), self)) }

  deinit { for _ in 0..<threads { waiting.add(nil) } }
}
