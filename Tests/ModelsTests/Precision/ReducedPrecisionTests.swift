import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

/// Networks in bf16 against the same in single precision.
@Suite("Networks in bf16")
struct ReducedPrecisionTests {
  /// Instruction sets of this CPU that have kernels of reduced precision.
  private static let sets: [InstructionSet] = InstructionSet.available.filter {
    $0.hasReducedPrecision
  }
  /// Relative L2 of an output: bf16 keeps 8 bits, each layer adds a rounding.
  ///
  /// PyTorch 2.13 in bf16 is off by up to 5.6 %
  /// on the smaller of these detectors and 8.2 % on the larger.
  private static let networkTolerance = 8e-2

  private static func options(_ set: InstructionSet) -> PlanOptions {
    var options = PlanOptions(precision: .bf16)
    options.instructionSet = set
    return options
  }

  @Test("stay near single precision", arguments: sets, ["yolo11-tiny-n", "yolo11-tiny-l", "depth-tiny"])
  func nearSinglePrecision(_ set: InstructionSet, _ network: String) throws {
    let reduced = try tinyOutputs(network, Self.options(set))
    let exact = try tinyOutputs(network, PlanOptions())
    for (found, expected) in zip(reduced, exact) {
      let error = relativeL2(found.elements, expected.elements)
      #expect(error < Self.networkTolerance, "\(found.name)")
      #expect(error > 0, "\(found.name): computed in single precision")
    }
  }

  @Test("give the same bytes for any number of threads", arguments: sets, ["yolo11-tiny-n", "depth-tiny"])
  func deterministic(_ set: InstructionSet, _ network: String) throws {
    let expected = try tinyOutputs(network, Self.options(set), threads: 1)
    for threads in [2, 4, 8] {
      let found = try tinyOutputs(network, Self.options(set), threads: threads)
      #expect(found.map { $0.elements.map(\.bitPattern) } == expected.map { $0.elements.map(\.bitPattern) })
    }
  }

  @Test("keep less in memory, and say what is computed how", arguments: sets.suffix(1))
  func plans(_ set: InstructionSet) throws {
    func plan(_ options: PlanOptions) throws -> Plan {
      try YOLODetector(weights: Golden.store("yolo11-tiny-n"), options: options)
        .session(for: PixelSize(width: 96, height: 64)).plan
    }
    let (reduced, exact) = (try plan(Self.options(set)), try plan(PlanOptions()))
    #expect(reduced.arenaBytes <= exact.arenaBytes)
    #expect(Double(reduced.unsharedBytes) < 0.7 * Double(exact.unsharedBytes))
    #expect(reduced.kernelName == set.rawValue)
    #expect(exact.layers.allSatisfy { $0.precision == .fp32 })
    let products = reduced.layers.filter { ["conv", "conv1x1", "attention"].contains($0.operation) }
    let kept = products.filter { $0.precision == .fp32 }
    #expect(kept.count == 10, "the last layers of three boxes, classes, coefficients, and the prototypes")
    #expect(kept.allSatisfy { $0.choice.reason.contains("fp32, as it makes an output") })
    // Pixels are multiplied as integers where the processor's products of bf16 are slow (ReducedPlanTests), all of them.
    let lowered = products.filter { $0.precision != .fp32 }
    let pixels =
      lowered.first { $0.choice.algorithm == .gemm }?.precision == .int16 ? "integers" : "bf16 products"
    for layer in lowered {
      let isWinograd = layer.choice.algorithm.rawValue.hasPrefix("winograd")
      let words = isWinograd ? "integers" : layer.choice.algorithm == .gemm ? pixels : "bf16 products"
      #expect(layer.choice.reason.contains(words), "\(layer.name): \(layer.choice.reason)")
    }
  }

  @Test("are refused where there are no kernels for them")
  func refused() throws {
    for set in InstructionSet.available where !set.hasReducedPrecision {
      let available: [Precision] =
        switch set {
        case .avx2, .avx512vnni: [.fp32, .int16, .int8]
        case .neon: [.fp32, .int16]
        case .neonfp16: [.fp32, .fp16, .int16]
        case .neondotprod, .neoni8mm: [.fp32, .fp16, .int16, .int8]
        default: [.fp32]
        }
      let error = PrecisionError.noInstructions(.bf16, instructionSet: set.rawValue, available: available)
      #expect(throws: NetworkError.depth(.plan(.precision(error)))) {
        try tinyOutputs("depth-tiny", Self.options(set))
      }
    }
    #expect(throws: NetworkError.depth(.plan(.precision(.nativeOnly(.bf16))))) {
      try tinyOutputs("depth-tiny", PlanOptions(backend: .openBLAS, precision: .bf16))
    }
  }

  @Test(
    "find the same objects in real pictures",
    .enabled(
      if: RealDetection.isPossible && !sets.isEmpty,
      "real pictures are not present beside the package, or this CPU has no bf16"),
    arguments: ["bus.jpg", "zidane.jpg"])
  func detections(picture name: String) throws {
    let detection = try RealDetection(picture: name)
    let exact = try detection.objects(PlanOptions())
    let reduced = try detection.objects(PlanOptions(precision: .bf16))
    #expect(!exact.isEmpty)
    #expect(reduced.map(\.classIndex) == exact.map(\.classIndex))
    for (found, expected) in zip(reduced, exact) {
      #expect(abs(found.confidence - expected.confidence) < Self.scoreTolerance)
      for edge in [\Rect<UprightPixels>.minX, \.minY, \.maxX, \.maxY] {
        #expect(abs(found.box[keyPath: edge] - expected.box[keyPath: edge]) < Self.boxTolerance)
      }
    }
  }

  /// Tolerance of a detection's score, and of a box's edge in pixels of the picture: PyTorch 2.13 in bf16 is off by up to 6.2 px
  /// on these pictures.
  private static let scoreTolerance: Float = 0.02
  private static let boxTolerance = 4.0
}

extension InstructionSet {
  /// Whether it multiplies in bf16.
  fileprivate var hasReducedPrecision: Bool { catalogue?.precisions.contains(.bf16) ?? false }
}
