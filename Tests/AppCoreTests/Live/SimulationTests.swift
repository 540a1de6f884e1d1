import AppCore
import FileFormats
import Testing

@Suite struct SimulationTests {
  /// The trace's events as lines: time, event, and the other fields by name.
  static func lines(_ trace: JSONValue, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
    (trace["events"]?.array ?? []).compactMap { event in
      guard let name = event["event"]?.string, isWanted(name), let at = event["at"]?.number else {
        return nil
      }
      let others = (event.object ?? [:]).filter { !["at", "event"].contains($0.key) }
      let fields = others.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.serialized())" }
      return (["\(at)", name] + fields).joined(separator: " ")
    }
  }

  static func run(_ text: String) throws -> JSONValue {
    try Simulation(script: SimulationScript(json: JSONValue.parse(text))).run()
  }

  /// One slow frame holds up the next; the third finds two in flight; the fourth call of the screen fails.
  @Test func backpressure() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 0.2, "render": {"service": [0.04, 0.01], "faults": [2]},
       "arrivals": {"times": [0, 0.02, 0.038, 0.06, 0.08]}}
      """)
    #expect(
      Self.lines(trace) == [
        "0.0 frame.admitted frame=0",
        "0.02 frame.admitted frame=1",
        #"0.038 frame.dropped frame=2 reason="backpressure""#,
        "0.04 frame.shown frame=0",
        "0.05 frame.shown frame=1",
        "0.06 frame.admitted frame=3",
        "0.08 frame.admitted frame=4",
        "0.1 frame.failed frame=3",
        "0.11 frame.shown frame=4",
      ])
    #expect(
      trace["summary"]?["frames"]
        == ["arrived": 5, "paced": 0, "dropped": 1, "shown": 3, "failed": 1, "inFlight": 0])
    #expect(
      trace["summary"]?["pool"] == ["allocated": 2, "lent": 0, "reused": 2, "exhausted": 0, "leaked": 0])
    #expect(trace["summary"]?["jitterMilliseconds"] == ["count": 2, "p50": 10.0, "p95": 60.0, "p99": 60.0])
    #expect(trace["summary"]?["endurance"]?["sustainedFramesPerSecond"] == 15.0)
  }

  @Test func aSmallPoolDropsWhatTheGateAdmits() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 0.05, "render": {"service": [0.03]}, "buffers": 1,
       "arrivals": {"times": [0, 0.02, 0.04]}}
      """)
    #expect(
      Self.lines(trace) == [
        "0.0 frame.admitted frame=0",
        #"0.02 frame.dropped frame=1 reason="pool""#,
        "0.03 frame.shown frame=0",
        "0.04 frame.admitted frame=2",
      ])
    #expect(trace["summary"]?["frames"]?["inFlight"] == 1)
    #expect(
      trace["summary"]?["pool"] == ["allocated": 1, "lent": 1, "reused": 1, "exhausted": 1, "leaked": 0])
  }

  /// 200 ms of detection beside 60 frames a second: every frame is shown, detection takes the newest.
  @Test func slowDetectionDropsNoFrames() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 1, "arrivals": {"framesPerSecond": 60},
       "render": {"service": [0.001]}, "detection": {"service": [0.2], "level": "high"}}
      """)
    #expect(
      Self.lines(trace) { $0.hasPrefix("detection") } == [
        "0.0 detection.started call=0 frame=0",
        "0.2 detection.done frame=0",
        "0.2 detection.started call=1 frame=11",
        "0.4 detection.done frame=11",
        "0.4 detection.started call=2 frame=23",
        "0.6 detection.done frame=23",
        "0.6 detection.started call=3 frame=35",
        "0.8 detection.done frame=35",
        "0.8 detection.started call=4 frame=47",
        "1.0 detection.done frame=47",
        "1.0 detection.started call=5 frame=59",
      ])
    #expect(
      trace["summary"]?["frames"]
        == ["arrived": 61, "paced": 0, "dropped": 0, "shown": 60, "failed": 0, "inFlight": 1])
    #expect(trace["summary"]?["detection"]?["framesReplaced"] == 54)
  }

  /// Three failures open the breaker in the midst of the retries; a trial fails, two succeed.
  @Test func breakerAndRetries() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 6, "arrivals": {"framesPerSecond": 1},
       "detection": {"service": [0.1], "faults": [0, 1, 2, 3]}, "breaker": {"openSeconds": 1.5}}
      """)
    #expect(
      Self.lines(trace) { !$0.hasPrefix("frame") } == [
        "0.0 detection.started call=0 frame=0",
        "0.1 detection.failed frame=0",
        "0.1 detection.retry delay=0.1 frame=0",
        "0.2 detection.started call=1 frame=0",
        "0.3 detection.failed frame=0",
        "0.3 detection.retry delay=0.2 frame=0",
        "0.5 detection.started call=2 frame=0",
        "0.6 detection.failed frame=0",
        #"0.6 breaker phase="open""#,
        "0.6 detection.retry delay=0.4 frame=0",
        #"1.0 detection.refused frame=0 reason="breaker""#,
        #"1.0 detection.refused frame=1 reason="breaker""#,
        #"2.0 detection.refused frame=2 reason="breaker""#,
        #"3.0 breaker phase="halfOpen""#,
        "3.0 detection.started call=3 frame=3",
        "3.1 detection.failed frame=3",
        #"3.1 breaker phase="open""#,
        "3.1 detection.retry delay=0.1 frame=3",
        #"3.2 detection.refused frame=3 reason="breaker""#,
        #"4.0 detection.refused frame=4 reason="breaker""#,
        #"5.0 breaker phase="halfOpen""#,
        "5.0 detection.started call=4 frame=5",
        "5.1 detection.done frame=5",
        "6.0 detection.started call=5 frame=6",
      ])
    #expect(trace["summary"]?["detection"]?["breaker"] == "halfOpen")
  }

  /// Hot at 1 s, fair at 2 s, full rate again at 12 s without any further reading.
  @Test func heat() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 13, "arrivals": {"framesPerSecond": 60},
       "detection": {"service": [0.05], "level": "auto"},
       "health": [{"at": 1, "thermal": "serious"}, {"at": 1.5, "thermal": "critical"},
                  {"at": 2, "thermal": "fair", "battery": 0.1, "pluggedIn": false}]}
      """)
    #expect(
      Self.lines(trace) { !$0.hasPrefix("frame.") && !$0.hasPrefix("detection.") } == [
        "1.0 performance canProcess=true interval=0.428571 score=0.7",
        "1.0 frameRate framesPerSecond=30",
        "1.5 performance canProcess=false interval=0.6 score=0.5",
        "2.0 performance canProcess=true interval=0.47619 score=0.63",
        "12.0 frameRate framesPerSecond=60",
      ])
    // 60 a second for 2 s, 30 for 11 s.
    #expect(trace["summary"]?["frames"]?["paced"] == 330)
    #expect(trace["summary"]?["detection"]?["refused"] == 1)
  }

  @Test func memory() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 4, "arrivals": {"times": []},
       "memory": {"budgetMB": 200, "readings": [[0, 119], [0.5, 130], [1, 165], [1.5, 192], [2, 181], [3.5, 100]]}}
      """)
    #expect(
      Self.lines(trace) == [
        #"0.5 memory.pressure actions=["dropObjects>20s"] level="medium""#,
        #"1.0 memory.pressure actions=["clearInactiveOverlays","dropObjects>10s"] level="high""#,
        "1.0 performance canProcess=true interval=0.3 score=0.7",
        #"1.5 memory.pressure actions=["keepOnlyActiveOverlay","dropAllButCurrentObjects"] level="critical""#,
        "1.5 performance canProcess=false interval=0.3 score=0.7",
        #"3.5 memory.pressure actions=[] level="normal""#,
        "3.5 performance canProcess=true interval=0.3 score=1.0",
      ])
    #expect(
      trace["summary"]?["endurance"]
        == ["sustainedFramesPerSecond": 0.0, "peakMemoryMB": 192.0, "recoverySeconds": 2.0])
    #expect(trace["summary"]?["jitterMilliseconds"] == JSONValue.null)
  }

  /// A screen of 40 ms at 60 frames a second drops for ever; the alarm sounds after 5 s of it.
  @Test func dropsRaiseTheAlarm() throws {
    let trace = try Self.run(
      """
      {"schema": "ardf.simulation/1", "duration": 6, "arrivals": {"framesPerSecond": 60},
       "render": {"service": [0.04]}}
      """)
    let firstDrop = try #require(Self.lines(trace) { $0 == "frame.dropped" }.first)
    #expect(firstDrop == #"0.033333 frame.dropped frame=2 reason="backpressure""#)
    let alarms = Self.lines(trace) { $0 == "drops.alarm" }
    #expect(alarms.count == 1)
    #expect(alarms.first?.hasPrefix("5.033333 drops.alarm on=true") == true)
  }

  @Test func sameScriptSameBytes() throws {
    let text = """
      {"schema": "ardf.simulation/1", "duration": 20, "arrivals": {"framesPerSecond": 59.94},
       "render": {"service": [0.008, 0.03, 0.02], "faults": [3]},
       "detection": {"service": [0.1, 0.25], "faults": [0, 1, 7, 8, 9], "level": "auto"}, "retries": 1,
       "health": [{"at": 3, "thermal": "serious"}, {"at": 5}], "memory": {"readings": [[4, 191], [6, 10]]}}
      """
    #expect(try Self.run(text).serialized() == Self.run(text).serialized())
  }

  @Test(
    arguments: [
      ("{}", .schema(found: nil)),
      (#"{"schema": "ardf.simulation/2"}"#, .schema(found: "ardf.simulation/2")),
      (#"{"schema": "ardf.simulation/1"}"#, .field("duration", expected: "seconds from 0 to 86400")),
      (#"{"schema": "ardf.simulation/1", "duration": 0}"#, .field("duration", expected: "greater than 0")),
      (
        #"{"schema": "ardf.simulation/1", "duration": 1e9}"#,
        .field("duration", expected: "seconds from 0 to 86400")
      ),
      (
        #"{"schema": "ardf.simulation/1", "fps": 1}"#,
        .unknownField("fps")
      ),
    ] as [(String, SimulationScriptError)])
  func documentsThatAreNoScripts(_ text: String, _ error: SimulationScriptError) {
    #expect(Self.defect(text) == error)
  }

  @Test(
    arguments: [
      (#""arrivals": {}"#, .field("arrivals", expected: "an object with either framesPerSecond or times")),
      (
        #""arrivals": {"framesPerSecond": 1, "times": [0]}"#,
        .field("arrivals", expected: "an object with either framesPerSecond or times")
      ),
      (
        #""arrivals": {"framesPerSecond": 0}"#, .field("arrivals.framesPerSecond", expected: "0.001 to 10000")
      ),
      (#""arrivals": {"framesPerSecond": "x"}"#, .field("arrivals.framesPerSecond", expected: "a number")),
      (
        #""arrivals": {"framesPerSecond": 9999}"#,
        .tooMany(field: "arrivals.framesPerSecond", limit: 200000)
      ),
      (#""arrivals": {"times": [1, 0]}"#, .field("arrivals.times", expected: "in order")),
      (
        #""arrivals": {"times": [-1]}"#,
        .field("arrivals.times", expected: "a list of seconds from 0 to 86400")
      ),
      (#""arrivals": {"times": 3}"#, .field("arrivals.times", expected: "a list")),
      (#""render": {"service": []}"#, .field("render.service", expected: "at least one time")),
      (#""render": []"#, .field("render", expected: "an object")),
      (
        #""render": {"service": [1], "faults": [-1]}"#,
        .field("render.faults", expected: "a list of whole numbers from 0 upwards")
      ),
      (
        #""detection": {"faults": []}"#,
        .field("detection.service", expected: "a list of seconds from 0 to 86400")
      ),
      (
        #""detection": {"service": [1], "level": "max"}"#,
        .field("detection.level", expected: "one of low, normal, high, auto")
      ),
      (#""breaker": {"compat": 1}"#, .field("breaker.compat", expected: "true or false")),
      (#""retries": -1"#, .field("retries", expected: "a whole number from 0 to 100")),
      (#""health": [{}]"#, .field("health[0].at", expected: "seconds from 0 to 86400")),
      (#""health": [{"at": 0, "battery": 2}]"#, .field("health[0].battery", expected: "0 to 1")),
      (
        #""health": [{"at": 0, "thermal": "warm"}]"#,
        .field("health[0].thermal", expected: "one of nominal, fair, serious, critical")
      ),
      (#""health": [3]"#, .field("health[0]", expected: "an object")),
      (#""memory": {"budgetMB": 0}"#, .field("memory.budgetMB", expected: "megabytes greater than 0")),
      (
        #""memory": {"readings": [[1]]}"#,
        .field("memory.readings[0]", expected: "a time in seconds and megabytes")
      ),
      (
        #""memory": {"readings": [[1, -2]]}"#,
        .field("memory.readings[0]", expected: "a time in seconds and megabytes")
      ),
      (#""framesInFlight": 0"#, .field("framesInFlight", expected: "a whole number from 1 to 100")),
      (#""buffers": 1.5"#, .field("buffers", expected: "a whole number from 1 to 100")),
    ] as [(String, SimulationScriptError)])
  func defectsNameTheirField(_ field: String, _ error: SimulationScriptError) {
    let arrivals = field.contains("arrivals") ? "" : #", "arrivals": {"times": [0]}"#
    let text = #"{"schema": "ardf.simulation/1", "duration": 60\#(arrivals), \#(field)}"#
    #expect(Self.defect(text) == error)
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(SimulationScriptError, String)] = [
    (.schema(found: nil), "script has schema none, expected ardf.simulation/1"),
    (
      .field("duration", expected: "seconds from 0 to 86400"),
      "script field duration must be seconds from 0 to 86400"
    ),
    (.unknownField("fps"), "script field fps is unknown: remove it or mend its name"),
    (
      .tooMany(field: "arrivals.framesPerSecond", limit: 200000),
      "script field arrivals.framesPerSecond asks for more than 200000 entries; ask for fewer"
    ),
  ]

  @Test(arguments: wordings)
  func wording(_ error: SimulationScriptError, _ sentence: String) {
    #expect("\(error)" == sentence)
  }

  /// The error of reading a script; nil without one.
  static func defect(_ text: String) -> SimulationScriptError? {
    do {
      _ = try SimulationScript(json: JSONValue.parse(text))
      return nil
    } catch {
      return error as? SimulationScriptError
    }
  }
}
