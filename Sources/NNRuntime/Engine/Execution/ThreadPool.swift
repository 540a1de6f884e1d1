// A persistent team of threads that shares the chunks of one step after another.
//
// Every thread has a queue of neighboring chunks, so that it mostly reads what it has itself written in the step
// before, out of its own core's cache; without chunks of its own it takes others' from their ends. One word holds
// a queue: generation (24 bits), end (20), next chunk (20). Whoever moves the word on from a chunk has that chunk;
// as a step ends only when all its chunks are done, the step's body is alive for whoever holds one. Threads without
// work spin for a while, each on its own queue, then sleep. With more threads than processors spinning would only keep
// those with work from running: then the threads sleep at once, the caller too, and no more are woken than can run.
//
// What a thread writes at every chunk (its queue, its count of chunks done) has cache lines of its own, and what is written
// once a step is apart from what is polled: a line that two cores write costs each of them about .1 us.

import CKernelShims
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Threads that run the chunks of a step side by side; the caller is one of them.
///
/// Which thread runs which chunk differs from run to run: a body must give the same result for a chunk
/// wherever and whenever it runs. Calls from several threads take turns. Threads that the system does not start are
/// done without.
public final class ThreadPool: Sendable {
  /// Threads, the caller included.
  public let threads: Int

  /// Most chunks of one step.
  static let maximumChunks = 1 << 20 - 1

  private let team: Team
  private let turn = Mutex<Void>(())
  private let working: Atomic<Int>

  /// A team of `threads` (at least one); by default as many as there are processors.
  public init(threads: Int = ThreadPool.processors) {
    precondition(threads >= 1 && threads <= 1024, "1 to 1024 threads")
    self.threads = threads
    working = Atomic(threads)
    team = Team(workers: threads - 1)
  }

  deinit { team.stop() }

  /// Processors that this process may use: those it may run on, and no more than its container's quota pays for.
  public static var processors: Int {
    let available = max(1, Int(ardf_available_processors()))
    return min(available, ProcessorQuota.own ?? available)
  }

  /// Threads that sleep until there is work; not the caller.
  package var asleep: Int { team.asleep }

  /// How many threads work at a step, from the next one on: 1 to `threads`, which it is at first.
  ///
  /// Results do not depend on it, so that several pools can share processors as each has work.
  package func use(threads count: Int) {
    precondition(count >= 1 && count <= threads, "1 to \(threads) threads")
    working.store(count, ordering: .sequentiallyConsistent)
  }

  /// Runs `body(chunk, thread)` for every chunk; `thread` is below `threads`, and no two calls with the same
  /// one overlap.
  package func run(_ chunks: Int, _ body: @escaping @Sendable (_ chunk: Int, _ thread: Int) -> Void) {
    exclusively { $0.run(chunks, body) }
  }

  /// Lets `work` run many steps with the threads to itself.
  ///
  /// Two networks that took turns at every step would drive each other's data out of the caches, and pay for a
  /// change of thread each time.
  package func exclusively<Result>(_ work: (Turn) throws -> Result) rethrows -> Result {
    try turn.withLock { _ in try work(Turn(pool: self)) }
  }

  /// The right to run steps, good within `exclusively`.
  package struct Turn {
    fileprivate let pool: ThreadPool

    /// As `ThreadPool.run`, for who has the turn.
    package func run(_ chunks: Int, _ body: @escaping @Sendable (_ chunk: Int, _ thread: Int) -> Void) {
      precondition(chunks <= ThreadPool.maximumChunks, "too many chunks")
      let threads = pool.working.load(ordering: .relaxed)
      if threads == 1 || chunks <= 1 {
        for chunk in 0..<chunks { body(chunk, 0) }
      } else {
        pool.team.run(chunks, threads: threads, body)
      }
    }
  }
}

private typealias Body = @Sendable (_ chunk: Int, _ thread: Int) -> Void

/// State shared by the threads.
@safe private final class Team: @unchecked Sendable {
  /// Turns of the spinning loop before a thread sleeps: some hundred microseconds.
  private static let patience = 20_000

  private let threads: Int
  /// More threads than processors.
  private let isCrowded: Bool
  private let lines: TeamLines
  /// The threads from this one on leave chunks to the others.
  ///
  /// One that has not seen a new number yet may still take some.
  private let working: Atomic<Int>
  private let sleepers = Atomic<Int>(0)
  private let stopping = Atomic<Bool>(false)
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// There is work.
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  /// A step of a crowded team is done.
  private let finished: UnsafeMutablePointer<pthread_cond_t>
  private var workers: [pthread_t] = []

  init(workers count: Int) {
    threads = count + 1
    working = Atomic(threads)
    isCrowded = threads > ThreadPool.processors
    lines = TeamLines(threads: threads)
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe finished = .allocate(capacity: 1)
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
    unsafe pthread_cond_init(finished, nil)
    for index in 0..<(isCrowded ? Self.startable(count) : count) {
      let start = unsafe Unmanaged.passRetained(Start(team: self, index: index + 1))
      var thread = pthread_t()
      let status = unsafe pthread_create(
        &thread, nil,
        { context in
          let start = unsafe Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
          SystemResources.nameThread("ardf.pool.\(start.index)")
          start.team.work(start.index)
          return nil
        }, start.toOpaque())
      guard status == 0 else {
        unsafe start.release()
        break
      }
      workers.append(thread)
    }
  }

  /// How many workers of `count` there can be: the system's tasks need threads as well, and wait for ever for them.
  private static func startable(_ count: Int) -> Int {
    let others = ThreadPool.processors + 2
    return max(0, SystemResources.startableThreads(upTo: count + others) - others)
  }

  deinit {
    lines.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_cond_destroy(finished)
    unsafe mutex.deallocate()
    unsafe condition.deallocate()
    unsafe finished.deallocate()
  }

  var asleep: Int { sleepers.load(ordering: .sequentiallyConsistent) }

  func stop() {
    stopping.store(true, ordering: .sequentiallyConsistent)
    wake()
    for worker in workers { pthread_join(worker, nil) }
    workers = []
  }

  func run(_ chunks: Int, threads working: Int, _ body: @escaping Body) {
    if self.working.load(ordering: .relaxed) != working {
      self.working.store(working, ordering: .sequentiallyConsistent)
    }
    unsafe lines.step.pointee.begin(chunks, body)
    let (generation, target) = unsafe (lines.step.pointee.generation, lines.step.pointee.target)
    for thread in 0..<threads {
      let (index, next) = (min(thread, working), min(thread + 1, working))
      let queue = Queue(
        generation: generation, next: chunks * index / working, end: chunks * next / working)
      unsafe lines.queue(thread).pointee.store(queue.word, ordering: .sequentiallyConsistent)
    }
    if sleepers.load(ordering: .sequentiallyConsistent) > 0 {
      if isCrowded { wake(atMost: min(ThreadPool.processors, chunks) - 1) } else { wake() }
    }
    while takeChunk(thread: 0) == .lookAgain {}
    if isCrowded { awaitEnd(target) }
    var turns = 0
    while !isDone(target) {
      turns += 1
      if turns < Self.patience { ardf_spin_pause() } else { sched_yield() }
    }
    unsafe lines.step.pointee.body = nil
  }

  private func work(_ thread: Int) {
    var idle = 0
    // The step of which no chunk is left.
    var over = Queue(word: 0).generation
    while !stopping.load(ordering: .acquiring) {
      let generation = unsafe Queue(word: lines.queue(thread).pointee.load(ordering: .acquiring)).generation
      if generation != over, thread < working.load(ordering: .relaxed) {
        switch takeChunk(thread: thread) {
        case .lookAgain:
          idle = 0
          continue
        case .noneLeft(let generation): over = generation
        case .notYetGiven: break
        }
      }
      if !isCrowded && idle < Self.patience {
        idle += 1
        ardf_spin_pause()
      } else {
        sleep(thread)
        // A sleeper is woken for any queue.
        over = .max
        idle = 0
      }
    }
  }

  private enum Taking: Equatable {
    /// A chunk was run, or another thread was faster.
    case lookAgain
    /// None is left of that step.
    case noneLeft(generation: UInt64)
    /// Some queues are still of the step before.
    case notYetGiven
  }

  /// Runs a chunk of the step, the thread's own next one or another's last.
  private func takeChunk(thread: Int) -> Taking {
    let own = unsafe Queue(word: lines.queue(thread).pointee.load(ordering: .acquiring)).generation
    var areAllGiven = true
    for offset in 0..<threads {
      let index = thread + offset < threads ? thread + offset : thread + offset - threads
      let seen = unsafe lines.queue(index).pointee.load(ordering: .acquiring)
      let queue = Queue(word: seen)
      if queue.generation != own { areAllGiven = false }
      guard queue.next < queue.end else { continue }
      let (chunk, rest) = offset == 0 ? queue.withoutFirst() : queue.withoutLast()
      guard
        unsafe lines.queue(index).pointee.weakCompareExchange(
          expected: seen, desired: rest.word, ordering: .acquiringAndReleasing
        ).exchanged
      else { return .lookAgain }
      // Read while the chunk keeps the step from ending.
      let target = unsafe lines.step.pointee.target
      unsafe lines.step.pointee.body!(chunk, thread)
      unsafe lines.done(thread).pointee.add(1, ordering: .sequentiallyConsistent)
      if isCrowded, thread != 0, isDone(target) { tellEnd() }
      return .lookAgain
    }
    return areAllGiven ? .noneLeft(generation: own) : .notYetGiven
  }

  /// Whether so many chunks of all steps are done.
  private func isDone(_ target: UInt64) -> Bool {
    var done: UInt64 = 0
    for thread in 0..<threads {
      done &+= unsafe lines.done(thread).pointee.load(ordering: .sequentiallyConsistent)
    }
    return done >= target
  }

  private func hasWork(for thread: Int) -> Bool {
    guard thread < working.load(ordering: .sequentiallyConsistent) else { return false }
    return (0..<threads).contains { thread in
      let queue = unsafe Queue(word: lines.queue(thread).pointee.load(ordering: .sequentiallyConsistent))
      return queue.next < queue.end
    }
  }

  private func sleep(_ thread: Int) {
    unsafe pthread_mutex_lock(mutex)
    sleepers.add(1, ordering: .sequentiallyConsistent)
    while !hasWork(for: thread) && !stopping.load(ordering: .sequentiallyConsistent) {
      unsafe pthread_cond_wait(condition, mutex)
    }
    sleepers.subtract(1, ordering: .sequentiallyConsistent)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Sleeps until all chunks are done.
  private func awaitEnd(_ target: UInt64) {
    unsafe pthread_mutex_lock(mutex)
    while !isDone(target) { unsafe pthread_cond_wait(finished, mutex) }
    unsafe pthread_mutex_unlock(mutex)
  }

  private func tellEnd() {
    unsafe pthread_mutex_lock(mutex)
    unsafe pthread_cond_signal(finished)
    unsafe pthread_mutex_unlock(mutex)
  }

  private func wake(atMost count: Int) {
    unsafe pthread_mutex_lock(mutex)
    for _ in 0..<count { unsafe pthread_cond_signal(condition) }
    unsafe pthread_mutex_unlock(mutex)
  }

  private func wake() {
    unsafe pthread_mutex_lock(mutex)
    unsafe pthread_cond_broadcast(condition)
    unsafe pthread_mutex_unlock(mutex)
  }
}

/// Memory that the threads share at every step, each part on a pair of cache lines, which processors fetch together: the step,
/// every thread's queue, and how many chunks it has done.
@safe private struct TeamLines: @unchecked Sendable {
  /// A step that runs; written before the queues announce it, read only by holders of one of its chunks.
  struct Step {
    var generation: UInt64 = 0
    /// Chunks of all steps so far, this one included.
    var target: UInt64 = 0
    var body: Body?

    mutating func begin(_ chunks: Int, _ body: @escaping Body) {
      generation = (generation &+ 1) & 0xFF_FFFF
      target &+= UInt64(chunks)
      self.body = body
    }
  }

  private static let pair = 128
  private let memory: UnsafeMutableRawPointer
  private let threads: Int

  init(threads: Int) {
    self.threads = threads
    let count = 1 + 2 * threads
    unsafe memory = .allocate(byteCount: count * Self.pair, alignment: Self.pair)
    unsafe memory.bindMemory(to: Step.self, capacity: 1).initialize(to: Step())
    for index in 1..<count {
      unsafe (memory + index * Self.pair).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        .initialize(to: Atomic(0))
    }
  }

  func deallocate() {
    unsafe step.deinitialize(count: 1)
    for thread in 0..<threads {
      unsafe queue(thread).deinitialize(count: 1)
      unsafe done(thread).deinitialize(count: 1)
    }
    unsafe memory.deallocate()
  }

  var step: UnsafeMutablePointer<Step> { unsafe memory.assumingMemoryBound(to: Step.self) }
  func queue(_ thread: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(1 + 2 * thread) }
  func done(_ thread: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { unsafe word(2 + 2 * thread) }

  private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe (memory + index * Self.pair).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}

/// The chunks `next..<end` of a step, in one word.
private struct Queue {
  let word: UInt64

  init(word: UInt64) { self.word = word }

  init(generation: UInt64, next: Int, end: Int) {
    word = generation << 40 | UInt64(end) << 20 | UInt64(next)
  }

  var generation: UInt64 { word >> 40 }
  var next: Int { Int(word & 0xF_FFFF) }
  var end: Int { Int(word >> 20 & 0xF_FFFF) }

  func withoutFirst() -> (chunk: Int, rest: Queue) { (next, Queue(word: word + 1)) }
  func withoutLast() -> (chunk: Int, rest: Queue) { (end - 1, Queue(word: word - 1 << 20)) }
}

/// Argument of a new thread.
private final class Start: Sendable {
  let team: Team
  let index: Int
  init(team: Team, index: Int) {
    self.team = team
    self.index = index
  }
}
