import Foundation
import NNRuntime
import Synchronization
import TestSupport
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

  /// The third thread of a pool is called so in top, perf and gdb.
  @Test("threads have names")
  func names() throws {
    let pool = ThreadPool(threads: 4)
    try Waiting.until("the threads have names") {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      let names = tasks.compactMap { task in
        FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm").map {
          String(decoding: $0, as: UTF8.self)
        }
      }
      return Set(names).isSuperset(of: ["ardf.pool.1\n", "ardf.pool.2\n", "ardf.pool.3\n"])
    }
    pool.run(4) { _, _ in }
  }

  /// The caller begins once the other thread is in its first chunk, which it leaves when all others are done.
  @Test("a slow thread, as on a slow core, leaves its chunks to the others")
  func unevenThreads() {
    let pool = ThreadPool(threads: 2)
    let counts = Mutex([Int](repeating: 0, count: 64))
    let isSlow = Atomic(false)
    let begun = Atomic(false)
    pool.run(64) { chunk, thread in
      do {
        if thread == 1, isSlow.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged {
          begun.store(true, ordering: .releasing)
          try Waiting.until("the other thread has done the rest") {
            counts.withLock { $0.reduce(0, +) } == 63
          }
        } else if thread == 0 {
          try Waiting.until("the slow thread has begun") { begun.load(ordering: .acquiring) }
        }
      } catch { Issue.record(error) }
      counts.withLock { $0[chunk] += 1 }
    }
    #expect(counts.withLock { $0.allSatisfy { $0 == 1 } })
  }

  @Test("no more threads work than are to, and every chunk once, however often that changes")
  func fewerThreads() throws {
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
    // Those that had work before have seen by then that they have none.
    try Waiting.until("all sleep") { pool.asleep == 3 }
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
      try await Waiting.until("they sleep") { pool.asleep == 3 }
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
  func waitsAsleep() throws {
    let pool = ThreadPool(threads: ThreadPool.processors + 2)
    let taken = Atomic(0)
    let callerBegan = Atomic(false)
    let callerLeft = Atomic(false)
    let sleptThen = Mutex(false)
    let caller = try "/proc/" + FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    pool.run(2) { _, thread in
      if thread == 0 { callerBegan.store(true, ordering: .sequentiallyConsistent) }
      taken.add(1, ordering: .sequentiallyConsistent)
      do {
        try Waiting.until("both chunks are taken") { taken.load(ordering: .sequentiallyConsistent) == 2 }
        if thread == 0 {
          callerLeft.store(true, ordering: .sequentiallyConsistent)
        } else {
          // The caller has done its chunk, or has none.
          try Waiting.until("the caller sleeps") {
            callerBegan.load(ordering: .sequentiallyConsistent)
              == callerLeft.load(ordering: .sequentiallyConsistent) && Self.sleeps(caller)
          }
          sleptThen.withLock { $0 = true }
        }
      } catch { Issue.record(error) }
    }
    #expect(sleptThen.withLock { $0 })
  }

  /// Whether a thread waits for something; its folder in /proc.
  private static func sleeps(_ thread: String) -> Bool {
    let status = try? String(contentsOfFile: "\(thread)/stat", encoding: .utf8)
    // The name stands in brackets before, and may hold anything.
    return status?.split(separator: ")").last?.hasPrefix(" S ") == true
  }
}
