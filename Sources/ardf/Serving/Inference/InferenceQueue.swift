import HTTPServing
import Synchronization

/// A bounded queue of requests that wait for a worker, first come first served.
///
/// Requests whose client has disconnected or whose deadline has passed are not computed.
package final class InferenceQueue: Sendable {
  /// Why a request is not computed.
  package enum Failure: Error, Equatable {
    /// The queue is full.
    case full
    /// Its deadline has passed.
    case deadline
    /// Its client has disconnected.
    case abandoned
  }

  /// A request.
  private struct Job: Sendable {
    let number: Int
    /// Whether the request has no result yet.
    let isOpen: @Sendable () -> Bool
    let isAbandoned: @Sendable () -> Bool
    let fail: @Sendable (Failure) -> Void
    let run: @Sendable (_ worker: Int) -> Void
  }

  private struct State {
    var waiting: [Job] = []
    var idle: [Int]
    var count = 0
  }

  private let limit: Int
  private let threads: DedicatedExecutor
  private let state: Mutex<State>
  private let workers: Int
  private let share: @Sendable (_ busy: Int) -> Void
  /// The timer and clock of deadlines.
  let waiting: DeadlineTimer

  /// A queue for a number of workers, each with its own thread.
  ///
  /// - `share`: called with the number of busy workers, at least one, whenever it changes; must return quickly.
  package init(
    limit: Int, workers: Int, waiting: DeadlineTimer = .shared,
    share: @Sendable @escaping (_ busy: Int) -> Void = { _ in }
  ) {
    (self.limit, self.workers, self.waiting, self.share) = (limit, workers, waiting, share)
    threads = DedicatedExecutor(name: "ardf.worker", count: workers)
    state = Mutex(State(idle: Array((0..<workers).reversed())))
  }

  /// Requests that wait.
  package var length: Int { state.withLock { $0.waiting.count } }

  /// Runs `work` on the next free worker.
  ///
  /// - `deadline`: the time after which the result is useless: the call then throws, and `isWanted` is false.
  /// - `isAbandoned`: whether the client has disconnected; checked before the work begins, and when the queue is full.
  ///
  /// - Throws: `Failure`, `CancellationError`, and what `work` throws.
  package func run<Value: Sendable>(
    until deadline: ContinuousClock.Instant?, isAbandoned: @Sendable @escaping () -> Bool,
    work: @Sendable @escaping (_ worker: Int, _ isWanted: @Sendable @escaping () -> Bool) throws -> Value
  ) async throws -> Value {
    let promise = Promise<Value>()
    let waiting = waiting
    let isOver: @Sendable () -> Bool = { deadline.map { $0 <= waiting.now } ?? false }
    try add(
      isOpen: { promise.isOpen }, isAbandoned: isAbandoned, fail: { promise.finish(.failure($0)) },
      run: { worker in
        guard !isOver() else { return promise.finish(.failure(Failure.deadline)) }
        let result = Result { try work(worker) { promise.isOpen && !isOver() && !isAbandoned() } }
        promise.finish(isOver() ? .failure(Failure.deadline) : result)
      })
    let timer = deadline.map { deadline in
      Task {
        try await waiting.sleep(until: deadline)
        promise.finish(.failure(Failure.deadline))
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await promise.value()
    } onCancel: {
      promise.finish(.failure(CancellationError()))
    }
  }

  private func add(
    isOpen: @Sendable @escaping () -> Bool, isAbandoned: @Sendable @escaping () -> Bool,
    fail: @Sendable @escaping (Failure) -> Void, run: @Sendable @escaping (Int) -> Void
  ) throws(Failure) {
    let (isIn, worker, gone) = state.withLock { state -> (Bool, Int?, [Job]) in
      var gone: [Job] = []
      if state.waiting.count >= limit, state.idle.isEmpty {
        gone = state.waiting.filter { !$0.isOpen() || $0.isAbandoned() }
        state.waiting.removeAll { job in gone.contains { $0.number == job.number } }
        guard state.waiting.count < limit else { return (false, nil, gone) }
      }
      state.count += 1
      state.waiting.append(
        Job(number: state.count, isOpen: isOpen, isAbandoned: isAbandoned, fail: fail, run: run))
      let worker = state.idle.popLast()
      if worker != nil { share(workers - state.idle.count) }
      return (true, worker, gone)
    }
    for job in gone { job.fail(.abandoned) }
    if let worker { Task(executorPreference: threads) { self.work(in: worker) } }
    guard isIn else { throw .full }
  }

  /// Runs waiting requests until there are none.
  private func work(in worker: Int) {
    while let job = next(for: worker) {
      guard job.isOpen() else { continue }
      if job.isAbandoned() { job.fail(.abandoned) } else { job.run(worker) }
    }
  }

  private func next(for worker: Int) -> Job? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.idle.append(worker)
        if state.idle.count < workers { share(workers - state.idle.count) }
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}

/// A result that is delivered once.
private final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case open(CheckedContinuation<Value, any Error>?)
    case finished(Result<Value, any Error>)
  }

  private let state = Mutex(State.open(nil))

  var isOpen: Bool { state.withLock { if case .open = $0 { true } else { false } } }

  /// Only the first result counts.
  func finish(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      guard case .open(let waiting) = state else { return nil }
      state = .finished(result)
      return waiting
    }
    waiting?.resume(with: result)
  }

  /// The result; call it once.
  func value() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state -> Result<Value, any Error>? in
        if case .finished(let result) = state { return result }
        state = .open(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
