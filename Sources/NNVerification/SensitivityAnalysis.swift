import NNRuntime

/// What a network's outputs lose, and what is saved, where single layers are multiplied in less.
///
/// A layer at a time is lowered, all others stay in the next precision up: the change of the outputs is that layer's own.
package struct SensitivityAnalysis {
  /// A layer that can be lowered.
  package struct Layer: Sendable, Equatable {
    /// Its name in the plan.
    package let name: String
    /// The field's name of the operation.
    package let operation: String
    /// What the outputs change by where it alone is lowered: relative L2 over some pictures, of the worst output.
    package let error: Double
    /// Milliseconds of it in the next precision up, and lowered; medians.
    package let kept, lowered: Double

    /// Milliseconds.
    package var saved: Double { kept - lowered }
  }

  /// The precision that layers are lowered to, and the one they are kept in.
  package let precision, kept: Precision
  /// The layers that can be lowered, in running order.
  package let candidates: [String]
  /// Milliseconds of all layers with none lowered.
  package let milliseconds: Double

  private let sessions: [Session]
  /// In single precision.
  private let exact: OutputReference
  /// With none lowered, of some of the pictures.
  private let base: OutputReference
  private let operations: [String: String]
  /// By layer: kept, lowered.
  private let times: [String: (kept: Double, lowered: Double)]

  /// Pictures that single layers are measured on: enough to rank them, and one run each for every layer.
  private static let ranked = 4

  /// Times the network's layers.
  ///
  /// - Parameters:
  ///   - sessions: The network in the precision to look at, for every size of input.
  ///   - exact: The outputs in single precision.
  ///   - runs: How often layers are timed.
  /// - Throws: `PlanError`, and what preparing pictures throws.
  package init(sessions: [Session], exact: OutputReference, runs: Int = 7) throws {
    let plan = sessions[0].plan
    self.sessions = sessions
    self.exact = exact
    precision = plan.options.precision
    let kept = precision.kinder(among: plan.availablePrecisions)
    self.kept = kept
    let lowered = plan.layers.filter { $0.precision == plan.options.precision }
    let mixed = Self.mixed(plan, lowered.map(\.name), kept)
    let others = try sessions.map { try $0.replanned(mixed) }
    base = try OutputReference(others, exact.thinned(to: Self.ranked).pictures)
    let precisions = Dictionary(
      others[0].plan.layers.map { ($0.name, $0.precision) }, uniquingKeysWith: { first, _ in first })
    candidates = lowered.filter { precisions[$0.name] != $0.precision }.map(\.name)
    operations = Dictionary(
      lowered.map { ($0.name, $0.operation) }, uniquingKeysWith: { first, _ in first })
    guard let picture = exact.pictures.first(where: { $0.session == 0 }) else {
      preconditionFailure("no picture for the first session")
    }
    let (keptTimes, loweredTimes) = try Self.layerTimes(others[0], sessions[0], picture, runs)
    milliseconds = keptTimes.values.reduce(0, +)
    times = Dictionary(
      uniqueKeysWithValues: keptTimes.map { ($0.key, ($0.value, loweredTimes[$0.key] ?? $0.value)) })
  }

  /// The network with these layers lowered, the other candidates kept.
  package func plan(lowering layers: Set<String>) -> MixedPrecision {
    Self.mixed(sessions[0].plan, candidates.filter { !layers.contains($0) }, kept)
  }

  private static func mixed(_ plan: Plan, _ exceptions: [String], _ kept: Precision) -> MixedPrecision {
    let own = plan.options.mixed[plan.name]?.exceptions ?? [:]
    return MixedPrecision(
      network: plan.name, precision: plan.options.precision,
      exceptions: exceptions.reduce(into: own) { $0[$1] = kept })
  }

  /// What the outputs are off by, against single precision, with these layers lowered.
  ///
  /// - Throws: what preparing pictures throws.
  package func error(lowering layers: Set<String>) throws -> Double {
    let mixed = plan(lowering: layers)
    return try exact.error(of: sessions.map { try $0.replanned(mixed) })
  }

  /// A candidate alone.
  ///
  /// - Throws: what preparing pictures throws.
  package func layer(_ name: String) throws -> Layer {
    let times = times[name] ?? (0, 0)
    let mixed = plan(lowering: [name])
    return Layer(
      name: name, operation: operations[name] ?? "",
      error: try base.error(of: sessions.map { try $0.replanned(mixed) }), kept: times.kept,
      lowered: times.lowered)
  }

  /// Medians of milliseconds by layer of two sessions, which run in turns.
  private static func layerTimes(
    _ one: Session, _ other: Session, _ picture: OutputReference.Picture, _ runs: Int
  ) throws -> ([String: Double], [String: Double]) {
    var samples = [one, other].map { [[Double]](repeating: [], count: $0.plan.layers.count) }
    for _ in 0..<max(2, runs) {
      for (index, session) in [one, other].enumerated() {
        try session.profile(
          prepare: picture.prepare,
          observe: { layer, nanoseconds in samples[index][layer].append(Double(nanoseconds) / 1e6) },
          read: { _ in })
      }
    }
    func medians(_ session: Session, _ samples: [[Double]]) -> [String: Double] {
      zip(session.plan.layers, samples).reduce(into: [:]) { times, entry in
        guard !entry.1.isEmpty else { return }
        times[entry.0.name, default: 0] += TimingSummary(entry.1).quartiles.median
      }
    }
    return (medians(one, samples[0]), medians(other, samples[1]))
  }
}
