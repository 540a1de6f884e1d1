import Glibc
import HTTPServing
import InferenceServing
import Testing

@Suite("Deadlines that seldom come") struct PatienceTests {
  @Test("the time passes first")
  func passes() async throws {
    let patience = Patience()
    let began = ContinuousClock.now
    try await patience.sleep(for: .milliseconds(120))
    #expect(ContinuousClock.now - began >= .milliseconds(120))
    // The clock ticks again after it has rested.
    try await patience.sleep(for: .milliseconds(1))
    #expect(patience.waiting == 0)
  }

  @Test("who is cancelled is forgotten at once, and told so")
  func cancelled() async {
    let patience = Patience()
    for _ in 0..<1000 {
      let task = Task { try await patience.sleep(for: .seconds(3600)) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(patience.waiting == 0)
    }
  }

  @Test("many deadlines, each its own")
  func many() async throws {
    let patience = Patience()
    let began = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...20 {
        group.addTask {
          try await patience.sleep(for: .milliseconds(20 * number))
          #expect(ContinuousClock.now - began >= .milliseconds(20 * number))
        }
      }
      try await group.waitForAll()
    }
    #expect(patience.waiting == 0)
  }

  @Test("a request that is computed too late is told so, though nobody has looked at the clock meanwhile")
  func late() async {
    let queue = InferenceQueue(limit: 1, lanes: 1)
    await #expect(throws: InferenceQueue.Failure.deadline) {
      try await queue.run(until: .now + .milliseconds(1), isAbandoned: { false }) { _, _ in usleep(3000) }
    }
    let computed = await #expect(throws: InferenceQueue.Failure.deadline) {
      try await queue.run(until: .now, isAbandoned: { false }) { _, _ in Issue.record("its time was over") }
    }
    #expect(computed == .deadline)
  }
}
