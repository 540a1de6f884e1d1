import HTTPServing
import InferenceServing
import TestSupport
import Testing

@Suite("Deadlines that seldom come") struct DeadlineTimerTests {
  @Test("the time passes first")
  func passes() async throws {
    let timer = DeadlineTimer()
    #expect(
      try await Waiting.takes(atLeast: .milliseconds(120)) {
        try await timer.sleep(for: .milliseconds(120))
      })
    // The clock ticks again after it has rested.
    try await timer.sleep(for: .milliseconds(1))
    #expect(timer.waiting == 0)
  }

  @Test("who is cancelled is forgotten at once, and told so")
  func cancelled() async {
    let timer = DeadlineTimer()
    for _ in 0..<1000 {
      let task = Task { try await timer.sleep(for: .seconds(3600)) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(timer.waiting == 0)
    }
  }

  @Test("many deadlines, each its own")
  func many() async throws {
    let time = ManualTime()
    let timer = DeadlineTimer { time.now }
    let start = time.now
    let sleepers = (1...20).map { number in
      Task { try await timer.sleep(until: start + .milliseconds(20 * number)) }
    }
    try await Waiting.until("all wait") { timer.waiting == 20 }
    for number in 1...20 {
      #expect(timer.waiting == 21 - number)
      time.advance(by: .milliseconds(20))
      try await sleepers[number - 1].value
    }
    #expect(timer.waiting == 0)
  }

  @Test("a request that is computed too late is told so, though nobody has looked at the clock meanwhile")
  func late() async {
    let time = ManualTime()
    let queue = InferenceQueue(limit: 1, workers: 1, waiting: DeadlineTimer { time.now })
    let due = time.now + .milliseconds(1)
    await #expect(throws: InferenceQueue.Failure.deadline) {
      try await queue.run(until: due, isAbandoned: { false }) { _, _ in time.advance(by: .milliseconds(1)) }
    }
    let computed = await #expect(throws: InferenceQueue.Failure.deadline) {
      try await queue.run(until: due, isAbandoned: { false }) { _, _ in Issue.record("its time was over") }
    }
    #expect(computed == .deadline)
  }
}
