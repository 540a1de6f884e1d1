import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Heat and power as Linux reports them under `/sys/class/thermal` and `/sys/class/power_supply`.
///
/// Each thermal zone is judged by its own trip points: fair within ten degrees below the first point at which
/// the kernel acts, serious from there on, critical from the point of emergency on. Zones without trip points
/// are judged by fixed limits. The worst zone counts. Readings are taken at most once a second.
public final class LinuxHealth: DeviceHealth {
  /// Degrees below the first trip point from which a zone is warm.
  static let warmMargin = 10.0
  /// Limits for zones without trip points, degrees Celsius.
  static let fallback = (serious: 85.0, critical: 100.0)
  private static let freshness = Duration.seconds(1)

  private let root: String
  private let time: any TimeSource
  private let latest: Mutex<(reading: HealthReading, at: Duration)?>

  /// The machine's health.
  ///
  /// - Parameters:
  ///   - root: The folder that holds `thermal` and `power_supply`.
  ///   - time: The clock that says when to read again.
  public init(root: String = "/sys/class", time: any TimeSource = SystemTime()) {
    self.root = root
    self.time = time
    latest = Mutex(nil)
  }

  /// The state now, or what it was within the last second.
  public var reading: HealthReading {
    let now = time.now
    return latest.withLock { latest in
      if let latest, now - latest.at < Self.freshness { return latest.reading }
      let reading = read()
      latest = (reading, now)
      return reading
    }
  }

  private func read() -> HealthReading {
    let zones = entries("thermal").filter { $0.hasPrefix("thermal_zone") }
    let thermal = zones.compactMap { zone("\(root)/thermal/\($0)") }.max() ?? .nominal
    var battery: Double?
    var isPluggedIn = true
    for supply in entries("power_supply") {
      let folder = "\(root)/power_supply/\(supply)"
      switch text("\(folder)/type") {
      case "Battery":
        guard let charge = number("\(folder)/capacity") else { continue }
        battery = min(battery ?? 1, min(max(charge / 100, 0), 1))
        if text("\(folder)/status") == "Discharging" { isPluggedIn = false }
      default: continue
      }
    }
    return HealthReading(thermal: thermal, battery: battery, isPluggedIn: isPluggedIn)
  }

  /// The state of one zone; nil if it has no temperature.
  private func zone(_ folder: String) -> ThermalState? {
    guard let temperature = number("\(folder)/temp").map({ $0 / 1000 }), temperature > -50, temperature < 250
    else { return nil }
    var serious: Double?
    var critical: Double?
    for index in 0..<16 {
      guard let kind = text("\(folder)/trip_point_\(index)_type") else { break }
      guard let limit = number("\(folder)/trip_point_\(index)_temp").map({ $0 / 1000 }), limit > 0 else {
        continue
      }
      switch kind {
      case "passive", "active": serious = min(serious ?? limit, limit)
      case "hot", "critical": critical = min(critical ?? limit, limit)
      default: break
      }
    }
    let emergency = critical ?? Self.fallback.critical
    let acting = serious ?? min(Self.fallback.serious, emergency - Self.warmMargin)
    return switch temperature {
    case emergency...: .critical
    case acting...: .serious
    case (acting - Self.warmMargin)...: .fair
    default: .nominal
    }
  }

  private func entries(_ name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(name)")) ?? []).sorted()
  }

  private func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    let text = String(decoding: data.prefix(256), as: UTF8.self)
    return String(text.prefix { !$0.isNewline })
  }

  private func number(_ path: String) -> Double? { text(path).flatMap(Double.init) }
}
