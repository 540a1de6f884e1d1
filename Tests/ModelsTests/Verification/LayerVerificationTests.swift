import Geometry
import Models
import NNRuntime
import NNVerification
import TestSupport
import Testing

/// A network of reduced width with the reference of all its layers.
struct VerifiedGolden {
  let name: String
  let size: PixelSize

  static let detector = VerifiedGolden(name: "yolo11-tiny-n", size: PixelSize(width: 64, height: 64))
  static let depth = VerifiedGolden(name: "depth-tiny", size: PixelSize(width: 42, height: 28))

  func session(_ options: PlanOptions = PlanOptions()) throws -> Session {
    try InspectedNetwork(weights: Golden.store(name), options: options).session(for: size)
  }

  func decoding() throws -> any DecodedNetwork {
    try InspectedNetwork(weights: Golden.store(name)).decoding
  }

  func reference() throws -> ReferenceFile {
    try ReferenceFile(path: Golden.path("\(name).layers.safetensors"))
  }
}

@Suite("Layers against the reference frameworks")
struct LayerVerificationTests {
  private static let goldens = [VerifiedGolden.detector, .depth]

  @Test(
    "every layer is within tolerance, in both modes, on both backends, fused or not", arguments: 0..<2,
    [PlanOptions(), PlanOptions(fuse: false), PlanOptions(backend: .openBLAS)])
  func layers(golden: Int, options: PlanOptions) throws {
    let golden = Self.goldens[golden]
    for mode in LayerVerifier.Mode.allCases {
      let report = try LayerVerifier(mode: mode).verify(
        golden.session(options), against: golden.reference(), decoding: golden.decoding())
      #expect(report.passed, "\(golden.name): \(report.summary)")
      #expect(report.layers.reduce(0) { $0 + $1.holds.count } > 80)
    }
  }

  @Test("the reference has every layer but reshapings", arguments: 0..<2)
  func complete(golden: Int) throws {
    let golden = Self.goldens[golden]
    let report = try LayerVerifier(mode: .isolated).verify(golden.session(), against: golden.reference())
    let unobserved = report.layers.flatMap(\.unobserved) + report.unobserved
    #expect(unobserved.filter { $0 != "pretrained.cls_token" } == [])
  }

  @Test("the two backends agree layer by layer", arguments: 0..<2)
  func backends(golden: Int) throws {
    let golden = Self.goldens[golden]
    let reference = try golden.reference()
    let session = try golden.session()
    for mode in LayerVerifier.Mode.allCases {
      let report = try LayerVerifier(mode: mode).verify(
        session, against: golden.session(PlanOptions(backend: .openBLAS)),
        prepare: reference.fillInputs(of: session))
      #expect(report.passed, "\(report.summary)")
      #expect(report.layers.count == session.plan.tracedLayers.count)
    }
  }

  @Test("a trace is a reference that the same network meets exactly", arguments: 0..<2)
  func trace(golden: Int) throws {
    let golden = Self.goldens[golden]
    let folder = try TemporaryDirectory()
    let path = folder.file("trace.safetensors")
    let session = try golden.session()
    let input = try golden.reference().fillInputs(of: session)
    let names = try TraceWriter.write(session, to: path, overwrite: false, prepare: input)
    let trace = try ReferenceFile(path: path)
    #expect(Set(trace.names) == Set(names + ["input"]))
    let report = try LayerVerifier(
      mode: .cumulative,
      tolerances: ToleranceTable([.init(pattern: "*", tolerance: LayerTolerance(absolute: 0, relative: 0))])
    ).verify(session, against: trace)
    #expect(report.passed && report.layers.count == names.count, "\(report.summary)")
  }

  @Test("patterns choose the layers of a trace")
  func chosen() throws {
    let golden = VerifiedGolden.depth
    let folder = try TemporaryDirectory()
    let session = try golden.session()
    let names = try TraceWriter.write(
      session, layers: ["*.blocks.1.*", "*refinenet1.out_conv"], to: folder.file("part.safetensors"),
      overwrite: false, prepare: golden.reference().fillInputs(of: session))
    #expect(names.contains("depth_head.scratch.refinenet1.out_conv"))
    #expect(names.count > 4 && names.allSatisfy { $0.contains("blocks.1.") || $0.contains("refinenet1") })
  }
}
