import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Metrics of a server, in Prometheus' text format (version 0.0.4).
package final class Metrics: Sendable {
  /// Upper bounds of the histograms' buckets, in seconds.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  private struct Histogram {
    var counts = [Int](repeating: 0, count: bounds.count)
    var count = 0
    var sum = 0.0

    mutating func add(_ seconds: Double) {
      count += 1
      sum += seconds
      if let index = bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
    }
  }

  /// A family's name and its labels, in the order in which they are written.
  private struct Key: Hashable {
    let name: String
    let labels: [[String]]

    var text: String {
      labels.isEmpty
        ? "" : "{" + labels.map { "\($0[0])=\"\(Metrics.escaped($0[1]))\"" }.joined(separator: ",") + "}"
    }
  }

  private struct State {
    var counters: [Key: Int] = [:]
    var histograms: [Key: Histogram] = [:]
    var gauges: [Key: Double] = [:]
  }

  private enum Family: String, CaseIterable {
    case info = "ardf_info"
    case requests = "ardf_requests_total"
    case inferences = "ardf_inferences_total"
    case errors = "ardf_errors_total"
    case seconds = "ardf_request_seconds"
    case queued = "ardf_queue_seconds"
    case computed = "ardf_compute_seconds"
    case load = "ardf_model_load_seconds"
    case connections = "ardf_connections"
    case queue = "ardf_queue_length"
    case held = "ardf_request_memory_bytes"
    case memory = "process_resident_memory_bytes"
    case start = "process_start_time_seconds"

    var type: String {
      switch self {
      case .requests, .inferences, .errors: "counter"
      case .seconds, .queued, .computed: "histogram"
      case .info, .load, .connections, .queue, .held, .memory, .start: "gauge"
      }
    }

    var help: String {
      switch self {
      case .info: "The version of the program, as a label."
      case .requests: "Requests answered, by status."
      case .inferences: "Requests for inference that were answered with outputs, by model."
      case .errors: "Requests that were not carried out, by the kind of reason."
      case .seconds: "From a request's head to its answer, by model."
      case .queued: "Waiting for a worker, by model."
      case .computed: "In a worker: reading inputs and computing outputs, by model."
      case .load: "Loading a model's weights and planning it, by model."
      case .connections: "Connections that are open."
      case .queue: "Requests that wait for a worker."
      case .held: "Memory that requests, what is made of them and answers hold."
      case .memory: "Resident memory."
      case .start: "When the process started, in seconds since 1970."
      }
    }
  }

  private let state = Mutex(State())
  private let began = Date().timeIntervalSince1970

  /// - `version`: of the program.
  package init(version: String) {
    set(.info, 1, [["version", version]])
    set(.start, began)
    set(.connections, 0)
  }

  // MARK: - Counting

  private func set(_ family: Family, _ value: Double, _ labels: [[String]] = []) {
    state.withLock { $0.gauges[Key(name: family.rawValue, labels: labels)] = value }
  }

  private func count(_ family: Family, _ labels: [[String]]) {
    state.withLock { $0.counters[Key(name: family.rawValue, labels: labels), default: 0] += 1 }
  }

  private func observe(_ family: Family, _ duration: Duration, model: String) {
    let key = Key(name: family.rawValue, labels: [["model", model]])
    state.withLock { $0.histograms[key, default: Histogram()].add(duration / .seconds(1)) }
  }

  /// Records a loaded model and its loading time.
  package func loaded(_ model: String, in duration: Duration) {
    set(.load, duration / .seconds(1), [["model", model]])
  }

  func answered(status: Int) { count(.requests, [["code", "\(status)"]]) }
  func inferred(_ model: String) { count(.inferences, [["model", model]]) }
  func failed(_ kind: String) { count(.errors, [["kind", kind]]) }
  func took(_ duration: Duration, model: String) { observe(.seconds, duration, model: model) }
  func waited(_ duration: Duration, model: String) { observe(.queued, duration, model: model) }
  func computed(_ duration: Duration, model: String) { observe(.computed, duration, model: model) }
  func connections(_ count: Int) { set(.connections, Double(count)) }

  // MARK: - Text

  /// The text of all metrics, with current values.
  package func text(queueLength: Int, heldBytes: Int, residentBytes: Int?) -> String {
    set(.queue, Double(queueLength))
    set(.held, Double(heldBytes))
    if let residentBytes { set(.memory, Double(residentBytes)) }
    let state = state.withLock { $0 }
    return Family.allCases.map { family in
      let lines = Self.lines(of: family.rawValue, in: state)
      return lines.isEmpty
        ? ""
        : "# HELP \(family.rawValue) \(family.help)\n# TYPE \(family.rawValue) \(family.type)\n"
          + lines.joined(separator: "\n") + "\n"
    }.joined()
  }

  private static func lines(of name: String, in state: State) -> [String] {
    let numbers =
      state.counters.filter { $0.key.name == name }.map { (key: $0.key, text: "\($0.value)") }
      + state.gauges.filter { $0.key.name == name }.map { (key: $0.key, text: "\($0.value)") }
    let plain = numbers.sorted { $0.key.text < $1.key.text }.map { "\(name)\($0.key.text) \($0.text)" }
    let histograms = state.histograms.filter { $0.key.name == name }.sorted { $0.key.text < $1.key.text }
    return plain + histograms.flatMap { lines(of: $0.key, $0.value) }
  }

  private static func lines(of key: Key, _ histogram: Histogram) -> [String] {
    var total = 0
    var lines: [String] = []
    for (bound, count) in zip(bounds, histogram.counts) {
      total += count
      lines.append(
        "\(key.name)_bucket\(Key(name: "", labels: key.labels + [["le", "\(bound)"]]).text) \(total)")
    }
    lines.append(
      "\(key.name)_bucket\(Key(name: "", labels: key.labels + [["le", "+Inf"]]).text) \(histogram.count)")
    return lines + [
      "\(key.name)_sum\(key.text) \(histogram.sum)", "\(key.name)_count\(key.text) \(histogram.count)",
    ]
  }

  /// A label's value between quotes.
  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
