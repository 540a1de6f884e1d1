import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

/// Networks in integers and in half precision against the same in single precision.
@Suite("Networks in integers of 16 and 8 bits, and in half precision")
struct IntegerPrecisionTests {
  /// A precision on an instruction set that has it.
  struct Case: CustomTestStringConvertible, Sendable {
    let precision: Precision
    let set: InstructionSet

    var testDescription: String { "\(precision) on \(set)" }

    var options: PlanOptions {
      var options = PlanOptions(precision: precision)
      options.instructionSet = set
      return options
    }

    /// Tolerance of an output of a tiny network, relative L2: AVX2's weights of 8 bits have one bit less, and sums in halves err
    /// four times as 16-bit integers, a quarter of what bf16 may.
    var tolerance: Double {
      switch precision {
      case .int8: set == .avx2 ? 0.3 : 0.15
      case .fp16: 1.5e-2
      default: 5e-3
      }
    }
  }

  private static let cases: [Case] = InstructionSet.available.flatMap { set in
    [Precision.int16, .int8, .fp16].filter {
      (try? Plan(graph, options: Case(precision: $0, set: set).options)) != nil
    }
    .map { Case(precision: $0, set: set) }
  }

  private static let graph: Graph = {
    let builder = GraphBuilder(name: "none")
    return builder.finished(outputs: [("y", builder.input("x", height: 1, width: 1, channels: 1))])
  }()

  private func outputs(_ name: String, _ options: PlanOptions, threads: Int = 2) throws -> [[Float]] {
    try tinyOutputs(name, options, threads: threads).map(\.elements)
  }

  @Test(
    "are near, and the same bytes for any number of threads", arguments: cases,
    ["yolo11-tiny-n", "yolo11-tiny-l", "depth-tiny"])
  func near(_ test: Case, _ name: String) throws {
    let exact = try outputs(name, PlanOptions())
    let reduced = try outputs(name, test.options)
    for (found, expected) in zip(reduced, exact) {
      let error = zip(found, expected).reduce(0.0) { $0 + Double($1.0 - $1.1) * Double($1.0 - $1.1) }
      let size = expected.reduce(0.0) { $0 + Double($1) * Double($1) }
      #expect((error / size).squareRoot() < test.tolerance, "\(name), \(test)")
      #expect(error > 0)
    }
    for threads in [1, 3] {
      #expect(try outputs(name, test.options, threads: threads) == reduced, "\(threads) threads")
    }
  }

  @Test("say what is computed in what", arguments: cases)
  func plans(_ test: Case) throws {
    let plan = try YOLODetector(weights: Golden.store("yolo11-tiny-n"), options: test.options)
      .session(for: PixelSize(width: 96, height: 64)).plan
    let used = Set(plan.layers.filter { ["conv", "conv1x1"].contains($0.operation) }.map(\.precision))
    #expect(used.contains(test.precision))
    #expect(plan.kernelName == test.set.rawValue)
    for output in plan.layers.suffix(1) { #expect(output.precision != .int8) }
    if test.precision != .int8 { #expect(used.isSubset(of: [.fp32, test.precision])) }
    // arm64 multiplies integers of 16 bits no faster than floats.
    if test.precision == .int8, test.set.rawValue.hasPrefix("neon") { #expect(!used.contains(.int16)) }
  }

  @Test("are refused where there are no kernels for them, with what there is")
  func refused() throws {
    for precision in [Precision.int16, .int8, .fp16] {
      let options = Case(precision: precision, set: .portable).options
      let error = PrecisionError.noInstructions(precision, instructionSet: "portable", available: [.fp32])
      #expect(throws: NetworkError.depth(.plan(.precision(error)))) { try outputs("depth-tiny", options) }
      #expect(throws: NetworkError.depth(.plan(.precision(.nativeOnly(precision))))) {
        try outputs("depth-tiny", PlanOptions(backend: .openBLAS, precision: precision))
      }
    }
  }

  @Test(
    "find the same objects in real pictures",
    .enabled(
      if: RealDetection.isPossible && !cases.isEmpty,
      "real pictures are not present beside the package, or this CPU multiplies no integers"),
    arguments: ["bus.jpg", "zidane.jpg"])
  func detections(picture name: String) throws {
    let detection = try RealDetection(picture: name)
    let exact = try detection.objects(PlanOptions())
    for test in Self.cases {
      let found = try detection.objects(test.options)
      // Of objects whose scores are close any may come first, and a box's sides err with its size.
      let (score, overlap): (Float, Double) = test.precision != .int8 ? (0.002, 0.998) : (0.06, 0.95)
      #expect(found.count == exact.count, "\(test)")
      for other in exact {
        let same = found.filter { $0.classIndex == other.classIndex }
          .map { (object: $0, overlap: $0.box.intersectionOverUnion(other.box)) }
          .max { $0.overlap < $1.overlap }
        let (object, common) = try #require(same, "\(test): nothing of class \(other.classIndex)")
        #expect(common > overlap, "\(test): class \(other.classIndex)")
        #expect(abs(object.confidence - other.confidence) < score, "\(test)")
      }
    }
  }
}
