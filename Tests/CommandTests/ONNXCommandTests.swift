import FileFormats
import TestSupport
import Testing

/// `ardf inspect`, `infer` and `verify` of ONNX files: what they answer, and with which exit code.
@Suite struct ONNXCommandTests {
  /// A field of a protocol-buffer message, shorter than 128 bytes.
  private func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [number << 3 | 2, UInt8(bytes.count)] + bytes
  }
  private func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  private func value(_ name: String) -> [UInt8] {
    // A tensor of single precision with a free axis.
    field(1, name) + field(2, field(1, [8, 1] + field(2, field(1, field(2, "n")))))
  }

  /// One node of `x` to `y`.
  private func model(_ type: String) -> [UInt8] {
    let graph =
      field(1, field(1, "x") + field(2, "y") + field(3, "only") + field(4, type)) + field(11, value("x"))
      + field(12, value("y"))
    return [8, 8] + field(2, "by hand") + field(7, graph) + field(8, [16, 18])
  }

  private func tensor(_ values: [Float]) -> [UInt8] {
    [8, UInt8(values.count), 16, 1] + field(9, rawBytes(of: values))
  }

  private func folder(_ place: TemporaryDirectory, _ name: String, type: String, expected: [Float]) throws
    -> String
  {
    try place.write(model(type), to: "\(name)/model.onnx")
    try place.write(tensor([1, -2]), to: "\(name)/test_data_set_0/input_0.pb")
    try place.write(tensor(expected), to: "\(name)/test_data_set_0/output_0.pb")
    return place.file(name)
  }

  @Test("inspect names inputs, axes and what is not supported; nothing is run")
  func inspect() throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(["inspect", place.write(model("Unheard"), to: "m.onnx"), "--json"])
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["producer"]?.string == "by hand" && document["supported"] == .bool(false))
    #expect(document["inputs"]?.array?.first?["type"]?.string == "float [n]")
    #expect(document["operators"]?.array?.first?["defect"]?.string?.contains("\"only\"") == true)
  }

  @Test("infer writes each output, and takes inputs by name")
  func infer() throws {
    let place = try TemporaryDirectory()
    let file = try place.write(model("Relu"), to: "m.onnx")
    try place.write(NPYArray(shape: [3], floats: [-1, 0, 2]).encoded(), to: "x.npy")
    let run = try CommandRun(
      ["infer", file, "--input", "x=x.npy", "--axis", "n=3", "--out", "results"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(try NPYArray.read(path: place.file("results/output_0.npy")).floats() == [0, 0, 2])
    let other = try CommandRun(["infer", file, "--input", "z=x.npy", "--out", "more"], in: place.path)
    #expect(other.status == 65 && other.error.contains("its inputs are \"x\""))
    let axis = try CommandRun(
      ["infer", file, "--input", "x=x.npy", "--axis", "n=4", "--out", "more"], in: place.path)
    #expect(axis.status == 65 && !fileExists(place.file("more")))
  }

  @Test("verify: 0 equal, 1 different, 69 not supported, 65 damaged; a line for each of several")
  func verify() throws {
    let place = try TemporaryDirectory()
    let equal = try folder(place, "equal", type: "Relu", expected: [1, 0])
    let different = try folder(place, "different", type: "Relu", expected: [1, 1])
    let unsupported = try folder(place, "unsupported", type: "Unheard", expected: [1, 0])
    let damaged = try folder(place, "damaged", type: "Relu", expected: [1, 0])
    try place.write(Array(model("Relu").dropLast(9)), to: "damaged/model.onnx")
    for (folder, status) in [(equal, 0), (different, 1), (unsupported, 69), (damaged, 65)]
      as [(String, Int32)]
    {
      let run = try CommandRun(["verify", folder + "/model.onnx", "--reference", folder])
      #expect(run.status == status, "\(folder): \(run.error)")
    }
    let run = try CommandRun(["verify", "--cases", equal, different, unsupported, damaged])
    #expect(run.status == 1)
    let codes = run.output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    #expect(codes.map { "\($0[0]) \($0[1])" } == ["equal 0", "different 1", "unsupported 69", "damaged 65"])
  }
}
