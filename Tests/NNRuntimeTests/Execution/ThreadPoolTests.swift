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
}
