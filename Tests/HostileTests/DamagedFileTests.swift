import FoundationEssentials
import ParserTargets
import TestSupport
import Testing

/// Every format's small files, cut anywhere and changed anywhere.
///
/// A sample of it each time; all of it, about a million files, with `ARDF_EXHAUSTIVE=1` (`make exhaust`).
@Suite struct DamagedFileTests {
  /// A message is one line of bounded length, whatever the file put into it.
  private static let longestMessage = 1000
  /// The processor time allowed to an input on a machine at rest; a loaded one may take longer.
  private static let patience = Duration.seconds(1)
  private static let isExhaustive = ProcessInfo.processInfo.environment["ARDF_EXHAUSTIVE"] != nil

  private func check(_ outcome: ParserTarget.ParseOutcome, _ what: @autoclosure () -> String) {
    guard case .refused(let message) = outcome else { return }
    guard !message.isEmpty, message.utf8.count < Self.longestMessage,
      message.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
    else {
      Issue.record("\(what()): \(message.utf8.count) bytes of message: \(message.prefix(200))")
      return
    }
  }

  @Test(arguments: ParserTarget.all.map(\.name))
  func seedsAreAccepted(_ name: String) throws {
    let target = try #require(ParserTarget.named(name))
    let seeds = try target.seeds().filter { !$0.name.hasPrefix("bad-") }
    #expect(!seeds.isEmpty)
    for seed in seeds where target.acceptsSeeds { #expect(target(seed.bytes) == .accepted, "\(seed.name)") }
  }

  /// Inputs that once broke a parser.
  @Test(arguments: ParserTarget.all.map(\.name))
  func findsStayFixed(_ name: String) throws {
    let target = try #require(ParserTarget.named(name))
    for seed in try target.seeds() { check(target(seed.bytes), seed.name) }
  }

  @Test(arguments: ParserTarget.all.map(\.name))
  func damageIsSurvived(_ name: String) throws {
    let target = try #require(ParserTarget.named(name))
    // Inputs of a seed: a tenth of a second's worth.
    let budget = Self.isExhaustive ? .max : target.usesFiles ? 200 : 2000
    var tally = (inputs: 0, accepted: 0, slowest: Duration.zero)
    for seed in try target.seeds() where !seed.name.hasPrefix("bad-") {
      let damage = Damage(seed.bytes, masks: Self.isExhaustive ? Damage.everyValue : Damage.fewValues)
      for index in stride(from: 0, to: damage.count, by: max(1, damage.count / budget)) {
        let start = Waiting.processorTime
        let outcome = target(damage.damaged(index))
        let time = Waiting.processorTime - start
        check(outcome, "\(seed.name) \(damage.kind(index))")
        if Self.isExhaustive {
          #expect(time < Self.patience, "\(seed.name) \(damage.kind(index)) took \(time)")
        }
        tally.inputs += 1
        if outcome == .accepted { tally.accepted += 1 }
        tally.slowest = max(tally.slowest, time)
      }
    }
    if Self.isExhaustive {
      print("\(name): \(tally.inputs) files, \(tally.accepted) accepted, the slowest took \(tally.slowest)")
    }
  }
}
