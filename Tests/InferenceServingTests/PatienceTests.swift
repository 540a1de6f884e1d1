import HTTPServing
import Testing

@Suite("Deadlines that seldom come") struct PatienceTests {
  @Test("the time passes, no sooner and not much later")
  func passes() async throws {
    let patience = Patience()
    let began = ContinuousClock.now
    try await patience.sleep(for: .milliseconds(120))
    let took = ContinuousClock.now - began
    #expect(took >= .milliseconds(120) && took < .seconds(20))
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
}
