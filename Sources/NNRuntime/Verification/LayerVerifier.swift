import NNRuntime

/// Compares every layer of a network with its reference, while the network runs.
///
/// Each result is compared right after the step that completes it, where it lies in the arena; nothing is kept but
/// figures.
public struct LayerVerifier: Sendable {
  /// Source of the layers' inputs.
  public enum Mode: String, Sendable, CaseIterable {
    /// The outputs of the layers before them: errors add up, as in use.
    case cumulative
    /// The reference: only a layer's own error shows, so that the first faulty one is named.
    case isolated

    /// The tolerance of layers without a rule.
    public func tolerance(_ precision: Precision) -> LayerTolerance {
      switch (self, precision) {
      case (.cumulative, .fp32): .cumulative
      case (.isolated, .fp32): .isolated
      case (.cumulative, .bf16): .cumulativeBF16
      case (.isolated, .bf16): .isolatedBF16
      case (.cumulative, .int16), (.cumulative, .fp16): .cumulativeInt16
      case (.isolated, .int16), (.isolated, .fp16): .isolatedInt16
      case (.cumulative, .int8): .cumulativeInt8
      case (.isolated, .int8): .isolatedInt8
      }
    }
  }

  /// Called with each layer beyond its tolerance and the map of its differences.
  package typealias Observer = (_ layer: VerificationReport.Layer, _ map: DifferenceMap) throws -> Void

  /// Source of the layers' inputs.
  public let mode: Mode
  /// Tolerances by layer name.
  public let tolerances: ToleranceTable
  /// Whether outputs of a reference that are not compared are let pass.
  public let layersOnly: Bool

  /// A verifier.
  public init(mode: Mode, tolerances: ToleranceTable = ToleranceTable(), layersOnly: Bool = false) {
    self.mode = mode
    self.tolerances = tolerances
    self.layersOnly = layersOnly
  }

  /// Compares with the tensors of a file; the network's input `input` is the file's.
  ///
  /// - Parameters:
  ///   - session: The network.
  ///   - reference: The file.
  ///   - decoding: The meaning of the network's outputs, to compare what is decoded from them too; nil for layers alone.
  /// - Returns: The report, which does not pass where the file has outputs that were not compared.
  /// - Throws: `VerificationError`, and what `ReferenceFile` throws.
  public func verify(
    _ session: Session, against reference: ReferenceFile, decoding: (any DecodedNetwork)? = nil
  ) throws -> VerificationReport {
    try verify(session, against: reference, decoding: decoding, onDivergence: nil)
  }

  /// The same, telling `onDivergence` of layers beyond their tolerance; throws what that throws too.
  package func verify(
    _ session: Session, against reference: ReferenceFile, decoding: (any DecodedNetwork)?,
    onDivergence: Observer?
  ) throws -> VerificationReport {
    var used: Set<String> = []
    var raw: [String: [Float]] = [:]
    var replaced: Set<String> = []
    let prepare = try reference.fillInputs(of: session)
    var report = try verify(
      session, prepare: prepare, onDivergence: onDivergence, isKnown: reference.contains,
      onOutput: { name, elements, isReplaced in
        raw[name] = elements
        if isReplaced { replaced.insert(name) }
      },
      expected: { layer in
        let maps: [(name: String, map: StridedMap)]
        do {
          maps = try reference.maps(for: layer)
        } catch VerificationError.shape(let name, let found, let expected)
          where !VerificationError.isOtherLayout(found, expected)
        {
          // The input fits, so that it is no matter of its size.
          throw VerificationError.anotherNetwork(
            session.plan.name, layer: name, found: found, expected: expected)
        }
        used.formUnion(maps.map(\.name))
        return maps
      })
    let plan = session.plan
    var result = OutputVerification.Result()
    if let decoding, !layersOnly, let input = plan.inputs.first?.shape {
      result = try OutputVerification(
        decoding: decoding, reference: reference, input: input, precision: plan.options.precision,
        tolerances: tolerances, raw: raw, replaced: replaced
      ).result(after: used)
    }
    guard !report.layers.isEmpty || !result.outputs.isEmpty || !result.objects.isEmpty else {
      throw VerificationError.nothingToCompare
    }
    report.add(result)
    let inputs = Set(plan.graph.inputShapes.map(\.name))
    let rest = reference.names.filter {
      !used.contains($0) && !result.used.contains($0) && !inputs.contains($0)
    }
    let layers = plan.tracedLayers
    return report.leavingOut(
      rest, joined: Set(layers.flatMap(\.holds)), layers: Set(layers.map(\.name)), layersOnly: layersOnly)
  }

  /// Compares with another session of the same network, step by step; both are fed by `prepare`.
  ///
  /// - Throws: `VerificationError.differentPlans`, and what `prepare` throws.
  public func verify(
    _ session: Session, against other: Session, prepare: (borrowing SessionInputs) throws -> Void
  ) throws -> VerificationReport {
    try verify(session, against: other, onDivergence: nil, prepare: prepare)
  }

  /// The same, telling `onDivergence` of layers beyond their tolerance; throws what that throws too.
  package func verify(
    _ session: Session, against other: Session, onDivergence: Observer?,
    prepare: (borrowing SessionInputs) throws -> Void
  ) throws -> VerificationReport {
    let (layers, others) = (session.plan.tracedLayers, other.plan.tracedLayers)
    guard layers.map(\.name) == others.map(\.name), layers.map(\.step) == others.map(\.step) else {
      throw VerificationError.differentPlans
    }
    var report = VerificationReport(mode: mode, network: session.plan.name, kernels: session.plan.kernelName)
    try other.stepwise(prepare: prepare) { run in
      var done = -1
      report = try verify(
        session, prepare: prepare, onDivergence: onDivergence, isKnown: { _ in true },
        onOutput: { _, _, _ in },
        expected: { layer in
          while done < layer.step, let step = run.advance() { done = step }
          return [(layer.name, run.map(of: layer))]
        })
    }
    return report
  }

  private func verify(
    _ session: Session, prepare: (borrowing SessionInputs) throws -> Void, onDivergence: Observer?,
    isKnown: (String) -> Bool, onOutput: (_ name: String, [Float], _ isReplaced: Bool) -> Void,
    expected: (TracedLayer) throws -> [(name: String, map: StridedMap)]
  ) throws -> VerificationReport {
    let layers = session.plan.tracedLayers
    var report = VerificationReport(mode: mode, network: session.plan.name, kernels: session.plan.kernelName)
    try session.stepwise(prepare: prepare) { run in
      var pending: [String] = []
      var next = 0
      var terms = 1
      while let step = run.advance() {
        terms = max(terms, session.plan.longestSum(ofStep: step))
        while next < layers.count, layers[next].step <= step {
          let layer = layers[next]
          next += 1
          let maps = try expected(layer)
          defer {
            if let output = layer.output {
              onOutput(output, run.map(of: layer).elements, mode == .isolated && !maps.isEmpty)
            }
          }
          guard let first = maps.first?.map else {
            if layer.operation != "view" { pending += layer.holds }
            continue
          }
          for (index, (name, map)) in maps.enumerated() {
            let difference = run.withElements(of: layer) { TensorDifference($0, stride: $1, to: map) }
            let tolerance = tolerance(
              of: layer, as: name, in: run, session.plan.options.precision, terms, difference)
            report.add(
              layer, as: index == 0 ? layer.name : name, with: name, after: pending, isKnown: isKnown,
              difference,
              tolerance)
            pending = []
            guard let onDivergence, let added = report.layers.last, !added.passed else { continue }
            let errors = run.withElements(of: layer) {
              DifferenceMap($0, stride: $1, to: map, isTokens: layer.isTokens)
            }
            try onDivergence(added, errors)
          }
          terms = 1
          if mode == .isolated { run.overwrite(layer, with: first) }
        }
      }
      report.unobserved += pending.filter { !isKnown($0) }
    }
    return report
  }

  /// The tolerance stated for a layer, else that of its mode; a layer beyond its mode's gets one that counts how much
  /// it enlarges roundings.
  private func tolerance(
    of layer: TracedLayer, as name: String, in run: SteppedRun, _ precision: Precision, _ terms: Int,
    _ difference: TensorDifference
  ) -> LayerTolerance {
    let names = [name, layer.name, layer.output].compactMap(\.self) + layer.holds
    if let stated = tolerances.tolerance(of: names) { return stated }
    let ordinary = mode.tolerance(precision)
    guard !ordinary.accepts(difference), difference.relativeL2.isFinite,
      let conditioning = run.conditioning(of: layer, precision: precision, terms: terms)
    else { return ordinary }
    return ordinary.conditioned(by: conditioning)
  }
}

extension ReferenceFile {
  /// Writes the file's tensors of the inputs' names into a session.
  ///
  /// - Throws: `VerificationError` where one is missing or of another shape.
  public func fillInputs(of session: Session) throws -> (borrowing SessionInputs) throws -> Void {
    let inputs = try session.plan.inputs.map { input in
      let (name, shape) = (input.name, input.shape)
      guard contains(name) else { throw VerificationError.noInput(name) }
      let (found, elements) = try tensor(name, atMost: shape.count)
      guard let map = StridedMap(found, elements, as: shape) else {
        throw VerificationError.shape(
          name, found: found, expected: [shape.images, shape.channels, shape.height, shape.width])
      }
      return (input, map)
    }
    return { target in
      for (input, map) in inputs {
        target.fill(input) { span in
          for pixel in 0..<map.shape.batchPixels {
            for channel in 0..<map.shape.channels {
              span[pixel * map.shape.channels + channel] =
                map.elements[map.index(pixel: pixel, channel: channel)]
            }
          }
        }
      }
    }
  }
}

extension SteppedRun {
  /// A copy of a layer's result, channels last.
  func map(of layer: TracedLayer) -> StridedMap {
    let shape = layer.shape
    let elements = withElements(of: layer) { found, stride in
      var elements: [Float] = []
      elements.reserveCapacity(shape.count)
      for pixel in 0..<shape.batchPixels {
        for channel in 0..<shape.channels { elements.append(found[pixel * stride + channel]) }
      }
      return elements
    }
    return StridedMap(
      shape: shape, channelsLast: elements,
      tensorShape: [shape.images, shape.height, shape.width, shape.channels])
  }

  /// A layer's result as the reference frameworks have it: (images, channels, height, width), or (images, tokens,
  /// channels).
  func tensor(of layer: TracedLayer) -> Tensor {
    let shape = layer.shape
    let elements = withElements(of: layer) { found, stride in
      var elements = [Float](repeating: 0, count: shape.count)
      let (pixelStride, channelStride) = layer.isTokens ? (shape.channels, 1) : (1, shape.pixels)
      for pixel in 0..<shape.batchPixels {
        let (image, place) = pixel.quotientAndRemainder(dividingBy: shape.pixels)
        let first = image * shape.pixels * shape.channels + place * pixelStride
        for channel in 0..<shape.channels {
          elements[first + channel * channelStride] = found[pixel * stride + channel]
        }
      }
      return elements
    }
    return Tensor(shape: layer.tensorShape, floats: elements)
  }
}
