import FileFormats

/// A defect of a simulation script.
package enum SimulationScriptError: Error, Equatable, CustomStringConvertible {
  /// The document's `schema` is another one or missing.
  case schema(found: String?)
  /// A field is missing or not of the kind that it should be.
  case field(String, expected: String)
  /// A field that scripts do not have.
  case unknownField(String)
  /// More frames or readings than a simulation takes.
  case tooMany(field: String, limit: Int)

  /// The defect and what to write instead.
  package var description: String {
    switch self {
    case .schema(let found):
      "script has schema \(found.map { printableName($0) } ?? "none"), expected \(SimulationScript.schema)"
    case .field(let name, let expected): "script field \(printableName(name)) must be \(expected)"
    case .unknownField(let name): "script field \(printableName(name)) is unknown: remove it or mend its name"
    case .tooMany(let field, let limit):
      "script field \(field) asks for more than \(limit) entries; ask for fewer"
    }
  }
}

/// A script of the events that a simulated live session meets, and their times.
///
/// Times are seconds from the start.
///
/// As a document (`ardf.simulation/1`), everything but `schema`, `duration` and `arrivals` optional:
/// ```json
/// {
///   "schema": "ardf.simulation/1",
///   "duration": 2.0,
///   "arrivals": {"framesPerSecond": 60},
///   "render": {"service": [0.008, 0.03], "faults": [3]},
///   "detection": {"service": [0.1], "faults": [0, 1], "level": "auto"},
///   "breaker": {"compat": true, "openSeconds": 1},
///   "retries": 0,
///   "health": [{"at": 0.5, "thermal": "serious", "battery": 0.1, "pluggedIn": false}],
///   "memory": {"budgetMB": 200, "readings": [[0.2, 130], [0.9, 100]]},
///   "framesInFlight": 2,
///   "buffers": 3
/// }
/// ```
/// `arrivals` may be `{"times": [0, 0.1]}` instead. Service times repeat in order; faults are numbers of frames
/// admitted and of detection calls, counted from 0, retries among them.
package struct SimulationScript: Sendable, Equatable {
  /// The schema name in a script.
  package static let schema = "ardf.simulation/1"
  /// The most arrivals, readings and entries of any list.
  package static let entryLimit = 200_000
  /// The longest simulation.
  package static let longestDuration = 86_400.0

  /// A stage's service times, and which of its calls fail.
  package struct Stage: Sendable, Equatable {
    /// Taken in turn.
    package var service: [Duration]
    /// Numbers of the calls that fail at the end of their service.
    package var faults: Set<Int>

    /// A stage from its parts.
    ///
    /// - Precondition: there is a service time.
    package init(service: [Duration], faults: Set<Int> = []) {
      precondition(!service.isEmpty, "a stage has at least one service time")
      self.service = service
      self.faults = faults
    }

    /// How long call `number` takes.
    func duration(of number: Int) -> Duration { service[number % service.count] }
  }

  /// A health reading and its time.
  package struct HealthChange: Sendable, Equatable {
    /// When it is read.
    package var time: Duration
    /// The reading.
    package var reading: HealthReading
  }

  /// A memory reading and its time.
  package struct MemoryReading: Sendable, Equatable {
    /// When it is read.
    package var time: Duration
    /// Resident bytes.
    package var bytes: Int
  }

  /// How long it runs; what is under way then does not end.
  package var duration: Duration
  /// When frames arrive, in order.
  package var arrivals: [Duration]
  /// Showing a frame.
  package var render = Stage(service: [.milliseconds(1)])
  /// Detecting in a frame; nil for none.
  package var detection: Stage?
  /// How often to detect.
  package var level = PerformanceLevel.normal
  /// When failing detections pause.
  package var breaker = CircuitBreaker.Rules()
  /// How failed detections are repeated.
  package var retry = RetryPolicy()
  /// Health over time.
  package var health: [HealthChange] = []
  /// Memory over time.
  package var memory: [MemoryReading] = []
  /// The memory budget in bytes.
  package var memoryBudget = MemoryWatch.defaultBudget
  /// The most frames in flight.
  package var framesInFlight = 2
  /// Frame buffers.
  package var buffers = 3

  /// A script in which frames arrive and nothing else happens.
  package init(duration: Duration, arrivals: [Duration]) {
    self.duration = duration
    self.arrivals = arrivals
  }
}

extension SimulationScriptError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
