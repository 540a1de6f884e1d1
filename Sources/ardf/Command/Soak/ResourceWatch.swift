import AppCore
import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Memory and descriptors of this process over many equal rounds.
struct ResourceWatch {
  /// Allowed growth of memory in a thousand rounds, bytes.
  static let growthLimit = 1 << 20
  /// Allowance for memory and descriptors that are taken once; a leak exceeds it after enough rounds.
  private static let once = (bytes: 8.0 * Double(1 << 20), descriptors: 2)
  /// Share of the rounds at the beginning that are not measured, because caches fill.
  private static let warmUp = 0.2
  private static let samples = 200

  private let rounds: Int
  private var firstDescriptors: Int?
  private var done = 0
  private var readings: [(round: Double, bytes: Double)] = []

  init(rounds: Int) { self.rounds = rounds }

  /// To be called after every round.
  mutating func roundEnded() {
    done += 1
    guard Double(done) >= Double(rounds) * Self.warmUp, done % max(1, rounds / Self.samples) == 0,
      let bytes = ProcessMemory().residentBytes()
    else { return }
    firstDescriptors = firstDescriptors ?? Self.descriptors
    readings.append((Double(done), Double(bytes)))
  }

  /// Growth of memory in bytes for a thousand rounds: the slope of a least-squares line.
  var growthPerThousand: Double {
    guard readings.count > 1 else { return 0 }
    let count = Double(readings.count)
    let meanRound = readings.reduce(0) { $0 + $1.round } / count
    let meanBytes = readings.reduce(0) { $0 + $1.bytes } / count
    let covariance = readings.reduce(0) { $0 + ($1.round - meanRound) * ($1.bytes - meanBytes) }
    let variance = readings.reduce(0) { $0 + ($1.round - meanRound) * ($1.round - meanRound) }
    return covariance / variance * 1000
  }

  /// How far memory rose between the first reading and the highest.
  private var rise: Double { (readings.map(\.bytes).max() ?? 0) - (readings.first?.bytes ?? 0) }

  var descriptorText: String { "\(firstDescriptors ?? 0) -> \(Self.descriptors)" }

  var defects: [String] {
    var defects: [String] = []
    // Of few rounds the slope is noise: there must be growth as well.
    if growthPerThousand >= Double(Self.growthLimit), rise >= Self.once.bytes {
      defects.append("memory grows by \(byteText(Int(clamping: growthPerThousand))) a thousand rounds")
    }
    if let firstDescriptors, Self.descriptors > firstDescriptors + Self.once.descriptors {
      defects.append("descriptors grow: \(descriptorText)")
    }
    return defects
  }

  private static var descriptors: Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
  }
}
