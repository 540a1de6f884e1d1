import Synchronization

/// The device's thermal state as its platform reports it: levels, not degrees.
public enum ThermalState: String, Sendable, CaseIterable, Comparable {
  case nominal, fair, serious, critical

  /// Cooler states come first.
  public static func < (a: ThermalState, b: ThermalState) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .nominal: 0
    case .fair: 1
    case .serious: 2
    case .critical: 3
    }
  }
}

/// One reading of the device's health.
public struct HealthReading: Sendable, Equatable {
  /// How hot it is.
  public var thermal: ThermalState
  /// Charge in [0, 1]; nil without a battery.
  public var battery: Double?
  /// Whether it runs on mains power.
  public var isPluggedIn: Bool

  /// A reading; a cool machine on mains power by default.
  public init(thermal: ThermalState = .nominal, battery: Double? = nil, isPluggedIn: Bool = true) {
    self.thermal = thermal
    self.battery = battery
    self.isPluggedIn = isPluggedIn
  }
}

/// Heat and power of the device.
public protocol DeviceHealth: Sendable {
  /// The state now.
  var reading: HealthReading { get }
}

/// A device whose health is set by its owner: for tests, and for machines that report none.
package final class ScriptedHealth: DeviceHealth {
  private let stored: Mutex<HealthReading>

  /// A device with a first reading.
  package init(_ reading: HealthReading = HealthReading()) { stored = Mutex(reading) }

  /// The latest reading set.
  package var reading: HealthReading {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
