import AppCore
import Foundation
import TestSupport
import Testing

@Suite struct LinuxHealthTests {
  static func machine(_ files: [String: String]) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    for (name, text) in files {
      let path = place.file(name)
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try place.write(text + "\n", to: name)
    }
    return place
  }

  static func zone(_ degrees: Double) -> [String: String] {
    [
      "thermal/thermal_zone0/temp": "\(Int(degrees * 1000))",
      "thermal/thermal_zone0/trip_point_0_type": "passive",
      "thermal/thermal_zone0/trip_point_0_temp": "80000",
      "thermal/thermal_zone0/trip_point_1_type": "critical",
      "thermal/thermal_zone0/trip_point_1_temp": "95000",
    ]
  }

  @Test(arguments: [
    (40.0, ThermalState.nominal), (70, .fair), (79.9, .fair), (80, .serious), (94.9, .serious),
    (95, .critical),
  ]) func zonesAreJudgedByTheirTripPoints(_ degrees: Double, _ state: ThermalState) throws {
    let place = try Self.machine(Self.zone(degrees))
    #expect(LinuxHealth(root: place.path).reading == HealthReading(thermal: state))
  }

  @Test func theWorstZoneCountsAndNonsenseDoesNot() throws {
    var files = Self.zone(40)
    files["thermal/thermal_zone1/temp"] = "86000"
    files["thermal/thermal_zone2/temp"] = "-274000"
    files["thermal/thermal_zone3/temp"] = "hot"
    files["thermal/cooling_device0/temp"] = "200000"
    let place = try Self.machine(files)
    #expect(LinuxHealth(root: place.path).reading.thermal == .serious, "zone 1, by the fixed limits")
    #expect(LinuxHealth(root: place.file("absent")).reading == HealthReading())
  }

  @Test func batteriesAndFreshness() throws {
    let place = try Self.machine([
      "power_supply/BAT0/type": "Battery", "power_supply/BAT0/capacity": "15",
      "power_supply/BAT0/status": "Discharging", "power_supply/AC/type": "Mains",
    ])
    let clock = VirtualClock()
    let health = LinuxHealth(root: place.path, time: clock)
    let low = HealthReading(battery: 0.15, isPluggedIn: false)
    #expect(health.reading == low)
    try place.write("Charging\n", to: "power_supply/BAT0/status")
    clock.advance(by: ms(900))
    #expect(health.reading == low, "read once a second")
    clock.advance(by: ms(100))
    #expect(health.reading == HealthReading(battery: 0.15, isPluggedIn: true))
  }
}
