import FileFormats

extension SimulationScript {
  /// A script from its document.
  ///
  /// - Throws: `SimulationScriptError`.
  package init(json: JSONValue) throws(SimulationScriptError) {
    guard json["schema"]?.string == Self.schema else { throw .schema(found: json["schema"]?.string) }
    let script = try ScriptFields(
      json, path: "",
      known: [
        "schema", "duration", "arrivals", "render", "detection", "breaker", "retries", "health", "memory",
        "framesInFlight", "buffers",
      ])
    let duration = try script.seconds("duration")
    guard duration > .zero else { throw .field("duration", expected: "greater than 0") }
    self.init(duration: duration, arrivals: try Self.arrivals(script, until: duration))
    if let fields = try script.object("render", known: ["service", "faults"]) {
      render = try Self.stage(fields)
    }
    if let fields = try script.object("detection", known: ["service", "faults", "level"]) {
      detection = try Self.stage(fields)
      level = try fields.choice("level", PerformanceLevel.allCases) ?? level
    }
    if let fields = try script.object("breaker", known: ["compat", "openSeconds"]) {
      if try fields.bool("compat") ?? false { breaker = .compat }
      if fields.has("openSeconds") { breaker.openDuration = try fields.seconds("openSeconds") }
    }
    retry.retries = try script.count("retries", in: 0...100) ?? retry.retries
    health = try Self.health(script)
    if let fields = try script.object("memory", known: ["budgetMB", "readings"]) {
      if fields.has("budgetMB") { memoryBudget = try fields.megabytes("budgetMB") }
      memory = try Self.readings(fields)
    }
    framesInFlight = try script.count("framesInFlight", in: 1...100) ?? framesInFlight
    buffers = try script.count("buffers", in: 1...100) ?? buffers
  }

  private static func arrivals(
    _ script: ScriptFields, until end: Duration
  ) throws(SimulationScriptError) -> [Duration] {
    guard let fields = try script.object("arrivals", known: ["framesPerSecond", "times"]),
      fields.has("framesPerSecond") != fields.has("times")
    else { throw .field("arrivals", expected: "an object with either framesPerSecond or times") }
    guard fields.has("framesPerSecond") else {
      let times = try fields.list("times")
      guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else {
        throw .field("arrivals.times", expected: "in order")
      }
      return times
    }
    let rate = try fields.number("framesPerSecond")
    guard (0.001...10_000).contains(rate) else {
      throw .field("arrivals.framesPerSecond", expected: "0.001 to 10000")
    }
    guard end.inSeconds * rate <= Double(entryLimit) else {
      throw .tooMany(field: "arrivals.framesPerSecond", limit: entryLimit)
    }
    return (0...Int(clamping: end.inSeconds * rate)).map { Duration.nearest(seconds: Double($0) / rate) }
  }

  private static func stage(_ fields: ScriptFields) throws(SimulationScriptError) -> Stage {
    let service = try fields.list("service")
    guard !service.isEmpty else { throw .field("\(fields.path)service", expected: "at least one time") }
    return Stage(service: service, faults: Set(try fields.counts("faults") ?? []))
  }

  private static func health(_ script: ScriptFields) throws(SimulationScriptError) -> [HealthChange] {
    guard let entries = try script.array("health") else { return [] }
    var changes: [HealthChange] = []
    for (index, entry) in entries.enumerated() {
      let fields = try ScriptFields(
        entry, path: "health[\(index)].", known: ["at", "thermal", "battery", "pluggedIn"])
      var reading = HealthReading()
      reading.thermal = try fields.choice("thermal", ThermalState.allCases) ?? .nominal
      if fields.has("battery") {
        let battery = try fields.number("battery")
        guard (0...1).contains(battery) else { throw .field("\(fields.path)battery", expected: "0 to 1") }
        reading.battery = battery
      }
      reading.isPluggedIn = try fields.bool("pluggedIn") ?? true
      changes.append(HealthChange(time: try fields.seconds("at"), reading: reading))
    }
    return changes
  }

  private static func readings(_ fields: ScriptFields) throws(SimulationScriptError) -> [MemoryReading] {
    guard let entries = try fields.array("readings") else { return [] }
    var readings: [MemoryReading] = []
    for (index, entry) in entries.enumerated() {
      guard let pair = entry.numbers, pair.count == 2, (0...longestDuration).contains(pair[0]),
        (0...ScriptFields.mostMegabytes).contains(pair[1])
      else { throw .field("memory.readings[\(index)]", expected: "a time in seconds and megabytes") }
      readings.append(
        MemoryReading(time: .nearest(seconds: pair[0]), bytes: Int(clamping: (pair[1] * 1e6).rounded())))
    }
    return readings
  }
}

/// The fields of one object of a script, taken out with checks that name the field.
struct ScriptFields {
  static let mostMegabytes = 1e9
  static let mostCount = 1_000_000_000

  let path: String
  private let members: NameTable<JSONValue>

  init(_ json: JSONValue, path: String, known: NameSet) throws(SimulationScriptError) {
    guard let members = json.object else {
      throw .field(path.isEmpty ? "document" : String(path.dropLast()), expected: "an object")
    }
    if let stranger = members.keys.first(where: { !known.contains($0) }) {
      throw .unknownField(path + stranger)
    }
    self.path = path
    self.members = members
  }

  func has(_ name: String) -> Bool { members[name] != nil }

  func object(_ name: String, known: NameSet) throws(SimulationScriptError) -> ScriptFields? {
    guard let value = members[name] else { return nil }
    return try ScriptFields(value, path: "\(path)\(name).", known: known)
  }

  func array(_ name: String) throws(SimulationScriptError) -> [JSONValue]? {
    guard let value = members[name] else { return nil }
    guard let array = value.array else { throw .field(path + name, expected: "a list") }
    guard array.count <= SimulationScript.entryLimit else {
      throw .tooMany(field: path + name, limit: SimulationScript.entryLimit)
    }
    return array
  }

  func number(_ name: String) throws(SimulationScriptError) -> Double {
    guard let number = members[name]?.number, number.isFinite else {
      throw .field(path + name, expected: "a number")
    }
    return number
  }

  func seconds(_ name: String) throws(SimulationScriptError) -> Duration {
    guard let number = members[name]?.number, (0...SimulationScript.longestDuration).contains(number) else {
      throw .field(
        path + name, expected: "seconds from 0 to \(Int(clamping: SimulationScript.longestDuration))")
    }
    return .nearest(seconds: number)
  }

  /// Times in seconds.
  func list(_ name: String) throws(SimulationScriptError) -> [Duration] {
    let values = try array(name) ?? []
    let seconds = values.compactMap(\.number).filter { (0...SimulationScript.longestDuration).contains($0) }
    guard has(name), seconds.count == values.count else {
      throw .field(
        path + name,
        expected: "a list of seconds from 0 to \(Int(clamping: SimulationScript.longestDuration))")
    }
    return seconds.map { .nearest(seconds: $0) }
  }

  func megabytes(_ name: String) throws(SimulationScriptError) -> Int {
    guard let number = members[name]?.number, number > 0, number <= Self.mostMegabytes else {
      throw .field(path + name, expected: "megabytes greater than 0")
    }
    return max(Int(clamping: (number * 1e6).rounded()), 1)
  }

  func count(_ name: String, in range: ClosedRange<Int>) throws(SimulationScriptError) -> Int? {
    guard let value = members[name] else { return nil }
    guard let count = value.integer(in: range) else {
      throw .field(path + name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  func counts(_ name: String) throws(SimulationScriptError) -> [Int]? {
    guard let values = try array(name) else { return nil }
    let counts = values.compactMap { $0.integer(in: 0...Self.mostCount) }
    guard counts.count == values.count else {
      throw .field(path + name, expected: "a list of whole numbers from 0 upwards")
    }
    return counts
  }

  func bool(_ name: String) throws(SimulationScriptError) -> Bool? {
    guard let value = members[name] else { return nil }
    guard let bool = value.bool else { throw .field(path + name, expected: "true or false") }
    return bool
  }

  func choice<Choice: RawRepresentable<String>>(
    _ name: String, _ choices: [Choice]
  ) throws(SimulationScriptError) -> Choice? {
    guard let value = members[name] else { return nil }
    guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
      throw .field(path + name, expected: "one of \(choices.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }
}
