import NNRuntime

/// Error and saving of a network where single layers are lowered to a smaller precision.
///
/// A layer at a time is lowered, all others stay in the next precision up: the change of the outputs is that layer's own.
package struct SensitivityAnalysis {
  /// A layer that can be lowered.
  package struct Layer: Sendable, Equatable {
    /// Its name in the plan.
    package let name: String
    /// The field's name of the operation.
    package let operation: String
    /// Change of the outputs where it alone is lowered: relative L2 over some pictures, of the worst output.
    package let error: Double
    /// Expected saving of lowering it (`Plan.layerCosts`): the same on every run, unlike a time.
    package let saved: Double
  }

  /// Median times of layers in milliseconds; no plan depends on them.
  package struct Times: Sendable {
    /// Time of all layers with none lowered.
    package let whole: Double
    /// By layer: in the next precision up, and lowered.
    package let layers: [String: (kept: Double, lowered: Double)]

    /// Time of the whole network with some layers lowered.
    package func milliseconds(lowering lowered: Set<String>) -> Double {
      lowered.sorted().reduce(whole) { $0 - (layers[$1].map { $0.kept - $0.lowered } ?? 0) }
    }
  }

  /// The precision that layers are lowered to, and the one they are kept in.
  package let precision, kept: Precision
  /// The layers that can be lowered, in running order.
  package let candidates: [String]

  private let sessions: [Session]
  /// The network with no candidate lowered, of the first size.
  private let highest: Session
  /// In single precision.
  private let exact: OutputReference
  /// With none lowered, of some of the pictures.
  private let base: OutputReference
  private let operations: [String: String]
  /// Saving of lowering, by layer.
  private let savings: [String: Double]

  /// Pictures that single layers are measured on: enough to rank them, and one run each for every layer.
  private static let ranked = 4

  /// Finds the layers that can be lowered.
  ///
  /// - Parameters:
  ///   - sessions: The network in the precision to look at, for every size of input.
  ///   - exact: The outputs in single precision.
  /// - Throws: `PlanError`, and what preparing pictures throws.
  package init(sessions: [Session], exact: OutputReference) throws {
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
    highest = others[0]
    let (higher, lower) = (Self.costs(others[0].plan), Self.costs(plan))
    savings = higher.reduce(into: [:]) { savings, layer in
      savings[layer.key] = lower[layer.key].map { layer.value - $0 }
    }
  }

  /// Expected costs of layers, by name.
  private static func costs(_ plan: Plan) -> [String: Double] {
    Dictionary(zip(plan.layers.map(\.name), plan.layerCosts), uniquingKeysWith: +)
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

  /// Error of the outputs against single precision, with these layers lowered.
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
    let mixed = plan(lowering: [name])
    return Layer(
      name: name, operation: operations[name] ?? "",
      error: try base.error(of: sessions.map { try $0.replanned(mixed) }),
      saved: savings[name] ?? 0)
  }

  /// Measures what layers take, each `runs` times.
  ///
  /// - Throws: what preparing pictures throws.
  package func times(runs: Int = 7) throws -> Times {
    guard let picture = exact.pictures.first(where: { $0.session == 0 }) else {
      preconditionFailure("no picture for the first session")
    }
    let (kept, lowered) = try Self.layerTimes(highest, sessions[0], picture, runs)
    return Times(
      whole: kept.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value },
      layers: kept.reduce(into: [:]) { $0[$1.key] = ($1.value, lowered[$1.key] ?? $1.value) })
  }

  /// Median milliseconds by layer of two sessions, whose runs are interleaved.
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
