import AppCore
import FileFormats
import Synchronization
import Testing

@Suite struct FrameAccountTests {
  @Test func theGateTurnsAwayTheThirdFrameAtOnce() {
    let gate = FrameGate()
    let first = gate.enter()
    let second = gate.enter()
    #expect(first != nil && second != nil)
    #expect(gate.enter() == nil)
    #expect(gate.ledger.inFlight == 2)
    #expect(gate.ledger.dropped == 1)
    first?.complete()
    #expect(gate.enter() != nil)
    second?.complete()
  }

  @Test func aPermitComesBackOnceHoweverItEnds() throws {
    let gate = FrameGate()
    var permit = gate.enter()
    permit?.complete()
    permit?.complete()
    permit = nil
    #expect(gate.ledger.inFlight == 0)
    struct Defect: Error {}
    func fail() throws {
      let permit = gate.enter()
      #expect(permit != nil)
      throw Defect()
    }
    #expect(throws: Defect.self) { try fail() }
    #expect(gate.ledger.inFlight == 0, "a permit that is let go is given back")
    #expect(gate.ledger.admitted == 2)
  }

  @Test func thePoolMakesThreeBuffersAtMostAndReusesThem() {
    let made = Mutex(0)
    let pool = FramePool<[UInt8]> {
      made.withLock { $0 += 1 }
      return [0, 0]
    }
    var loans = (0..<3).map { _ in pool.lend() }
    #expect(loans.allSatisfy { $0 != nil })
    #expect(pool.lend() == nil)
    loans[0]?.withBuffer { $0[1] = 7 }
    for loan in loans { loan?.giveBack() }
    loans = []
    let again = (0..<3).map { _ in pool.lend() }
    #expect(again.compactMap { $0?.withBuffer { $0[1] } }.sorted() == [0, 0, 7])
    for loan in again { loan?.giveBack() }
    #expect(made.withLock { $0 } == 3)
    let ledger = pool.ledger
    #expect(ledger.allocated == 3)
    #expect(ledger.reused == 3)
    #expect(ledger.exhausted == 1)
    #expect(ledger.leaked == 0)
    #expect(ledger.lent == 0)
  }

  @Test func forgottenLoansAreCountedAndComeBack() {
    let pool = FramePool<Int>(capacity: 1) { 0 }
    _ = pool.lend()
    #expect(pool.ledger.leaked == 1)
    #expect(pool.ledger.lent == 0)
    let loan = pool.lend()
    loan?.giveBack()
    loan?.giveBack()
    #expect(loan?.withBuffer { $0 } == nil, "a returned buffer is out of reach")
    #expect(pool.ledger.leaked == 1)
    #expect(pool.ledger.allocated == 1)
  }

  @Test func theAlarmNeedsMoreThanFivePercentForFiveSeconds() {
    var monitor = DropMonitor()
    var changes: [(Duration, Bool)] = []
    // A frame each 10 ms for 8 s; from 1 s to 7 s every tenth is dropped.
    for frame in 0..<800 {
      let isDropped = (100..<700).contains(frame) && frame % 10 == 0
      if let change = monitor.record(dropped: isDropped, at: ms(frame * 10)) {
        changes.append((ms(frame * 10), change))
      }
    }
    // The sixth drop within 100 frames comes at 1.5 s; with the five of the last second at 7.41 s it is over.
    #expect(changes.map(\.0) == [ms(6_500), ms(7_400)])
    #expect(changes.map(\.1) == [true, false])
    #expect(monitor.dropped == 60)
    #expect(monitor.total == 800)
  }

  @Test func fivePercentIsNotTooMuch() {
    var monitor = DropMonitor()
    for frame in 0..<2_000 {
      #expect(monitor.record(dropped: frame >= 100 && frame % 20 == 0, at: ms(frame * 10)) == nil)
    }
    #expect(monitor.rate == 0.05)
  }

  @Test func theMailboxKeepsTheNewestOnly() async {
    let mailbox = NewestMailbox<Int>()
    for value in 1...5 { mailbox.put(value) }
    #expect(mailbox.replaced == 4)
    mailbox.close()
    var taken: [Int] = []
    for await value in mailbox.values { taken.append(value) }
    #expect(taken == [5])
  }

  @Test func jitterByNearestRank() throws {
    let report = try #require(JitterReport(intervals: (1...200).reversed().map(ms)))
    #expect(report.p50 == ms(100))
    #expect(report.p95 == ms(190))
    #expect(report.p99 == ms(198))
    #expect(report.json == ["count": 200, "p50": 100.0, "p95": 190.0, "p99": 198.0])
    let single = try #require(JitterReport(intervals: [ms(7)]))
    #expect([single.p50, single.p95, single.p99] == [ms(7), ms(7), ms(7)])
    #expect(JitterReport(intervals: []) == nil)
  }

  @Test func theRecorderForgetsTheOldest() {
    var recorder = JitterRecorder(capacity: 2)
    for time in [0, 100, 110, 130] { recorder.record(at: ms(time)) }
    #expect(recorder.report?.count == 2)
    #expect(recorder.report?.p50 == ms(10))
    #expect(recorder.report?.p99 == ms(20))
  }

  @Test func frameRatesOverASlidingSecond() {
    var window = FrameRateWindow()
    #expect(window.framesPerSecond(at: .zero) == 0)
    // Powers of two, so that the rate is exact.
    for frame in 0...64 { window.record(at: .microseconds(frame * 31_250)) }
    #expect(window.framesPerSecond(at: .seconds(2)) == 32)
    #expect(window.framesPerSecond(at: ms(2_990)) == 0, "one frame left has no rate")
  }

  @Test func theMonitorMeasuresWhileItRuns() {
    let clock = VirtualClock()
    let monitor = WindowPerformanceMonitor(time: clock, memory: ScriptedMemory(bytes: 123_400_000))
    monitor.frameShown()
    #expect(!monitor.isRunning)
    monitor.start()
    for _ in 0..<11 {
      monitor.frameShown()
      monitor.start()
      clock.advance(by: ms(50))
    }
    #expect(monitor.currentFPS == 20)
    #expect(monitor.memoryUsageMB == 123.4)
    monitor.stop()
    monitor.stop()
    #expect(monitor.currentFPS == 0)
    #expect(!monitor.isRunning)
  }

  @Test func residentMemoryIsRead() throws {
    #expect(ResidentMemory.bytes(statm: "900 25 7 1 0 5 0\n", pageSize: 4096) == 102_400)
    for text in ["", "900", "900 -1", "900 x", "1 \(Int.max)"] {
      #expect(ResidentMemory.bytes(statm: text, pageSize: 4096) == nil, "\(text)")
    }
    let bytes = try #require(ProcessMemory().residentBytes())
    #expect(bytes > 1 << 20)
    #expect(ProcessMemory(path: "/proc/self/absent").residentBytes() == nil)
  }
}
