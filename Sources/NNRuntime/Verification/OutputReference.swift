import NNRuntime

/// Outputs of a network for some pictures, as a reference for others.
package struct OutputReference {
  /// Fills a session's inputs with one picture.
  package typealias Preparation = (borrowing SessionInputs) throws -> Void

  /// A picture: which of the sessions runs it, and what fills that session's inputs.
  package struct Picture {
    /// Its position among the sessions.
    package let session: Int
    package let prepare: Preparation

    /// A picture for the session of this index.
    package init(session: Int, prepare: @escaping Preparation) {
      self.session = session
      self.prepare = prepare
    }
  }

  /// The pictures.
  package let pictures: [Picture]
  /// By picture and output: elements, channels last.
  package let outputs: [[[Float]]]

  /// The outputs of `sessions` for `pictures`.
  ///
  /// - Throws: what preparing pictures throws.
  package init(_ sessions: [Session], _ pictures: [Picture]) throws {
    self.pictures = pictures
    outputs = try pictures.map { try Self.outputs(sessions, $0) }
  }

  private init(_ pictures: [Picture], _ outputs: [[[Float]]]) {
    (self.pictures, self.outputs) = (pictures, outputs)
  }

  /// At most `count` of the pictures, spread evenly.
  package func thinned(to count: Int) -> OutputReference {
    let wanted = min(count, pictures.count)
    let kept = (0..<wanted).map { $0 * pictures.count / wanted }
    return OutputReference(kept.map { pictures[$0] }, kept.map { outputs[$0] })
  }

  /// Error of the outputs of `sessions`: relative L2 over all pictures, of the worst output.
  ///
  /// - Throws: what preparing pictures throws.
  package func error(of sessions: [Session]) throws -> Double {
    var sums: [(difference: Double, size: Double)] = sessions[0].plan.outputs.map { _ in (0, 0) }
    for (picture, expected) in zip(pictures, outputs) {
      let found = try Self.outputs(sessions, picture)
      for (output, (found, expected)) in zip(found, expected).enumerated() {
        let (difference, size) = Self.squares(found.span, expected.span)
        sums[output].difference += difference
        sums[output].size += size
      }
    }
    return sums.map { ($0.difference / max($0.size, .leastNormalMagnitude)).squareRoot() }.max() ?? 0
  }

  /// Sums of the squares of `found - expected` and of `expected`, in eight sums each, as one would wait for itself.
  private static func squares(_ found: Span<Float>, _ expected: Span<Float>) -> (Double, Double) {
    var (differences, sizes) = (SIMD8<Double>(), SIMD8<Double>())
    let count = min(found.count, expected.count)
    for start in stride(from: 0, to: count, by: 8) {
      var (one, other) = (SIMD8<Float>(), SIMD8<Float>())
      for lane in 0..<min(8, count - start) {
        (one[lane], other[lane]) = (found[start + lane], expected[start + lane])
      }
      let reference = SIMD8<Double>(other)
      let difference = SIMD8<Double>(one) - reference
      differences += difference * difference
      sizes += reference * reference
    }
    return (differences.sum(), sizes.sum())
  }

  private static func outputs(_ sessions: [Session], _ picture: Picture) throws -> [[Float]] {
    let session = sessions[picture.session]
    return try session.run(prepare: picture.prepare) { outputs in
      session.plan.outputs.map { outputs.elements(of: $0) }
    }
  }
}
