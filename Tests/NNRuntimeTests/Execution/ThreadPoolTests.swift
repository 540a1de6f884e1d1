import Glibc
import NNRuntime
import Synchronization
import Testing

@Suite("Thread pool")
struct ThreadPoolTests {
  @Test("every chunk runs exactly once, step after step", arguments: [1, 2, 3, 8])
  func exactlyOnce(threads: Int) {
    let pool = ThreadPool(threads: threads)
    for chunks in [0, 1, 2, 7, 64, 1000] {
      for _ in 0..<50 {
        let counts = Mutex([Int](repeating: 0, count: chunks))
        pool.run(chunks) { chunk, thread in
          precondition(thread < threads)
          counts.withLock { $0[chunk] += 1 }
        }
        #expect(counts.withLock { $0.allSatisfy { $0 == 1 } })
      }
    }
  }

  @Test("a slow thread, as on a slow core, leaves its chunks to the others")
  func unevenThreads() {
    let pool = ThreadPool(threads: 2)
    let counts = Mutex((done: [Int](repeating: 0, count: 64), bySlow: 0))
    pool.run(64) { chunk, thread in
      if thread == 1 { usleep(20_000) }
      counts.withLock {
        $0.done[chunk] += 1
        if thread == 1 { $0.bySlow += 1 }
      }
    }
    let (done, bySlow) = counts.withLock { $0 }
    #expect(done.allSatisfy { $0 == 1 })
    // Half of them were its own.
    #expect(bySlow < 16)
  }

  @Test("no more threads work than are to, and every chunk once, however often that changes")
  func fewerThreads() {
    let pool = ThreadPool(threads: 4)
    for round in 0..<400 {
      let most = round * 7 % 4 + 1
      pool.use(threads: most)
      let counts = Mutex((done: [Int](repeating: 0, count: 37), workers: Set<Int>()))
      pool.run(37) { chunk, thread in
        counts.withLock {
          $0.done[chunk] += 1
          $0.workers.insert(thread)
        }
      }
      #expect(counts.withLock { $0.done.allSatisfy { $0 == 1 } })
      if most == 1 { #expect(counts.withLock { $0.workers } == [0]) }
    }
    // Those that had work before have seen by now that they have none.
    usleep(100_000)
    pool.use(threads: 2)
    let workers = Mutex(Set<Int>())
    pool.run(200) { _, thread in workers.withLock { _ = $0.insert(thread) } }
    #expect(workers.withLock { $0.isSubset(of: [0, 1]) })
  }

  @Test("threads that slept wake up for the next step")
  func wakesUp() async throws {
    let pool = ThreadPool(threads: 4)
    for _ in 0..<5 {
      let total = Atomic<Int>(0)
      pool.run(100) { chunk, _ in total.add(chunk, ordering: .relaxed) }
      #expect(total.load(ordering: .relaxed) == 4950)
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test("calls from several threads take turns")
  func concurrentCallers() async {
    let pool = ThreadPool(threads: 2)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let total = Atomic<Int>(0)
          for _ in 0..<200 { pool.run(10) { _, _ in total.add(1, ordering: .relaxed) } }
          return total.load(ordering: .relaxed)
        }
      }
      for await total in group { #expect(total == 2000) }
    }
  }

  @Test("a crowded team does every chunk once, with fewer awake than there are")
  func crowded() {
    let threads = 16 * ThreadPool.processors
    let pool = ThreadPool(threads: threads)
    for chunks in [2, 3, threads, 1000] {
      for _ in 0..<100 {
        let total = Atomic<Int>(0)
        pool.run(chunks) { chunk, _ in total.add(chunk + 1, ordering: .relaxed) }
        #expect(total.load(ordering: .relaxed) == chunks * (chunks + 1) / 2)
      }
    }
  }

  @Test("who waits for a crowded team sleeps")
  func waitsAsleep() {
    let pool = ThreadPool(threads: ThreadPool.processors + 2)
    let begun = Atomic<Bool>(false)
    let patience = ContinuousClock.now + .seconds(5)
    let start = Self.threadTime
    pool.run(2) { _, thread in
      if thread == 0 {
        // Leaves the other chunk to another thread.
        while !begun.load(ordering: .acquiring), ContinuousClock.now < patience { usleep(1000) }
      } else {
        begun.store(true, ordering: .releasing)
        usleep(400_000)
      }
    }
    let anotherRan = begun.load(ordering: .relaxed)
    #expect(anotherRan)
    #expect(Self.threadTime - start < .milliseconds(100))
  }

  /// Processor time of this thread.
  private static var threadTime: Duration {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
