import Archives
import FileFormats
import NNRuntime
import NNVerification
import TestSupport
import Testing

@Suite("References")
struct ReferenceFileTests {
  private func graph() -> Graph {
    let builder = GraphBuilder(name: "two layers")
    let x = builder.input("input", height: 2, width: 2, channels: 3)
    let weights = Tensor(shape: [2, 3, 1, 1], floats: [1, 0, 0, 0, 2, 0])
    let y = x.convolution(weights, name: "conv").relu(name: "act")
    return builder.finished(outputs: [("y", y)])
  }

  private let input = (0..<12).map { Float($0) - 5 }
  /// Channels 0 and twice channel 1, rectified.
  private let result: [Float] = [0, 0, 0, 0, 0, 0, 2, 4]

  private func verify(_ path: String) throws -> VerificationReport {
    try LayerVerifier(mode: .isolated).verify(
      Session(Plan(graph()), pool: ThreadPool(threads: 1)), against: ReferenceFile(path: path))
  }

  @Test("an npz serves as well as safetensors, under a layer's name or that of its output")
  func formats() throws {
    let folder = try TemporaryDirectory()
    for name in ["act", "y"] {
      let arrays = [
        "input": NPYArray(shape: [1, 3, 2, 2], floats: input),
        name: NPYArray(shape: [1, 2, 2, 2], floats: result),
      ]
      try NPZArchive.write(arrays, path: folder.file("\(name).npz"), overwrite: false)
      let report = try verify(folder.file("\(name).npz"))
      #expect(report.passed && report.layers.count == 1)
      #expect(report.layers[0].name == "act" && report.layers[0].holds == ["conv", "act"])

      try SafetensorsWriter.write(
        [
          "input": Tensor(shape: [3, 2, 2], floats: input), name: Tensor(shape: [2, 2, 2], floats: result),
        ], to: folder.file("\(name).safetensors"), overwrite: false)
      #expect(try verify(folder.file("\(name).safetensors")).passed)
    }
  }

  @Test("a missing input, a wrong shape and foreign names are told apart")
  func defects() throws {
    let folder = try TemporaryDirectory()
    func write(_ tensors: [String: Tensor]) throws -> String {
      let path = folder.file("r.safetensors")
      try SafetensorsWriter.write(tensors, to: path, overwrite: true)
      return path
    }
    let x = Tensor(shape: [1, 3, 2, 2], floats: input)
    let y = Tensor(shape: [1, 2, 2, 2], floats: result)
    #expect(throws: VerificationError.noInput("input")) { try verify(write(["act": y])) }
    #expect(throws: VerificationError.nothingToCompare) { try verify(write(["input": x, "elsewhere": y])) }
    let foreign = VerificationError.anotherNetwork(
      "two layers", layer: "act", found: [1, 8, 1, 1], expected: [1, 2, 2, 2])
    #expect(throws: foreign) { try verify(write(["input": x, "act": y.reshaped([1, 8, 1, 1])])) }
    #expect("\(foreign)".hasPrefix("the reference is of another network than two layers: "))
    // A batch of the network's own layer does not fit another network.
    let pictures = Tensor(shape: [2, 2, 2, 2], floats: [Float](repeating: 0, count: 16))
    #expect(throws: VerificationError.shape("act", found: [2, 2, 2, 2], expected: [1, 2, 2, 2])) {
      try verify(write(["input": x, "act": pictures]))
    }
    #expect(throws: VerificationError.shape("input", found: [1, 2, 2, 2], expected: [1, 3, 2, 2])) {
      try verify(write(["input": y, "act": y]))
    }
    #expect(throws: WeightError.self) { try ReferenceFile(path: folder.file("nowhere.safetensors")) }
  }

  @Test("sessions of different plans are not compared")
  func differentPlans() throws {
    let pool = ThreadPool(threads: 1)
    let fused = Session(try Plan(graph()), pool: pool)
    let plain = Session(try Plan(graph(), options: PlanOptions(fuse: false)), pool: pool)
    #expect(throws: VerificationError.differentPlans) {
      try LayerVerifier(mode: .cumulative).verify(fused, against: plain, prepare: { _ in })
    }
  }
}
