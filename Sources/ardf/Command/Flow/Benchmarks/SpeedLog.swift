import Models

/// The average times of stages over frames.
struct SpeedLog: Sendable {
  private struct Network: Sendable {
    var preprocess = Duration.zero
    var inference = Duration.zero
    var postprocess = Duration.zero
    var runs = 0

    mutating func add(_ other: Network) {
      preprocess += other.preprocess
      inference += other.inference
      postprocess += other.postprocess
      runs += other.runs
    }
  }

  private var networks: [(name: String, times: Network)] = []
  private var stages: [(name: String, time: Duration, runs: Int)] = []

  mutating func add(_ timings: StageTimings, network: String) {
    let index = networks.firstIndex { $0.name == network } ?? networks.count
    if index == networks.count { networks.append((network, Network())) }
    networks[index].times.preprocess += timings.preprocess
    networks[index].times.inference += timings.inference
    networks[index].times.postprocess += timings.postprocess
    networks[index].times.runs += 1
  }

  /// Adds what another log has of networks.
  mutating func add(_ other: SpeedLog) {
    for (name, times) in other.networks {
      let index = networks.firstIndex { $0.name == name } ?? networks.count
      if index == networks.count { networks.append((name, Network())) }
      networks[index].times.add(times)
    }
  }

  mutating func add(_ time: Duration, stage: String) {
    let index = stages.firstIndex { $0.name == stage } ?? stages.count
    if index == stages.count { stages.append((stage, .zero, 0)) }
    stages[index].time += time
    stages[index].runs += 1
  }

  /// The lines that close a command.
  var lines: [String] {
    var lines = networks.map { name, times in
      "Speed: \(Self.text(times.preprocess, times.runs)) preprocess, "
        + "\(Self.text(times.inference, times.runs)) inference, "
        + "\(Self.text(times.postprocess, times.runs)) postprocess (\(name))"
    }
    if !stages.isEmpty {
      lines.append(
        "Speed: " + stages.map { "\(Self.text($0.time, $0.runs)) \($0.name)" }.joined(separator: ", "))
    }
    return lines
  }

  private static func text(_ time: Duration, _ runs: Int) -> String {
    let (seconds, attoseconds) = time.components
    return "\(decimal((Double(seconds) * 1e3 + Double(attoseconds) / 1e15) / Double(max(1, runs)), 1))ms"
  }
}
