import FileFormats
import Imaging
import NNRuntime
import TestSupport
import Testing

@Suite("ardf verify and ardf trace")
struct VerifyTests {
  private let goldens = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"

  private func verify(_ options: [String], in folder: TemporaryDirectory? = nil) throws -> CommandRun {
    try CommandRun(
      ["verify", "--weights", "\(goldens)/yolo11-tiny-n.safetensors"] + options, in: folder?.path)
  }

  @Test("a network that meets its reference ends with 0 and says so")
  func passes() throws {
    let run = try verify(["--reference", "\(goldens)/yolo11-tiny-n.layers.safetensors"])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.contains("cumulative: all ") && run.output.contains("isolated: all "))
  }

  @Test("a layer beyond its tolerance ends with 1, is named, and JSON has its figures")
  func fails() throws {
    let run = try verify([
      "--reference", "\(goldens)/yolo11-tiny-n.layers.safetensors", "--tol", "model.7=0,0", "--json",
      "--mode", "isolated",
    ])
    #expect(run.status == 1)
    #expect(run.error.contains("first diverging layer model.7:"))
    let document = try run.json()
    #expect(document["schema"]?.string == "ardf.verify/2" && document["passed"]?.bool == false)
    #expect(document["modes"]?[0]?["firstDiverging"]?.string == "model.7")
  }

  @Test("a reference of outputs without the input is told so, and not that it is of another network")
  func noInput() throws {
    let folder = try TemporaryDirectory()
    let store = try WeightStore(path: "\(goldens)/yolo11-least.ref.safetensors")
    let names = store.names.filter { $0 != "input" }
    #expect(names.count == store.names.count - 1 && names.contains("box.0"))
    let tensors = try Dictionary(uniqueKeysWithValues: names.map { ($0, try store.tensor(named: $0)) })
    try SafetensorsWriter.write(
      tensors, metadata: [:], to: folder.file("outputs.safetensors"), overwrite: false)
    let run = try CommandRun(
      [
        "verify", "--weights", "\(goldens)/yolo11-least.safetensors", "--reference",
        folder.file("outputs.safetensors"),
      ])
    #expect(run.status == 65 && run.error.contains("has no tensor \"input\""), "\(run.error)")
  }

  @Test("of the first layers beyond their tolerance there are pictures")
  func pictures() throws {
    let folder = try TemporaryDirectory()
    let options = [
      "--reference", "\(goldens)/yolo11-tiny-n.layers.safetensors", "--tol", "model.1*=0,0", "--mode",
      "cumulative", "--out", "found", "--pictures", "2", "--json",
    ]
    let run = try verify(options, in: folder)
    #expect(run.status == 1)
    let document = try run.json()
    #expect(try JSONValue.read(path: folder.file("found/verify.json")) == document)
    let files = document["pictures"]?.array?.compactMap { $0["file"]?.string } ?? []
    #expect(files == ["cumulative-model.1.png", "cumulative-model.10.cv1.png"])
    for file in files {
      let picture = try ImageCodec.decode(path: folder.file("found/\(file)")).image
      // Ink on white, and colors of the heat map.
      #expect(Set(picture.pixels).count > 50)
    }
    #expect(try verify(options, in: folder).status == 73)
    let passing = try verify(
      ["--reference", "\(goldens)/yolo11-tiny-n.layers.safetensors", "--out", "clean"], in: folder)
    #expect(passing.status == 0, "\(passing.error)")
    #expect(try JSONValue.read(path: folder.file("clean/verify.json"))["pictures"]?.array?.isEmpty == true)
  }

  @Test(
    "kernels agree without a reference",
    arguments: ["openblas"]
      + InstructionSet.available.filter { $0.catalogue?.floats == $0.rawValue }.map(\.rawValue))
  func against(kernels: String) throws {
    let backend = kernels == "openblas" ? "native" : "openblas"
    let run = try verify(["--against", kernels, "--backend", backend, "--size", "64x96"])
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.contains(", against kernels \(kernels)\n"))
  }

  @Test("kernels that there are not are refused, with those that there are")
  func unknownKernels() throws {
    for option in ["--against", "--backend"] {
      let run = try verify([option, "sse9"])
      #expect(run.status == 64)
      for set in InstructionSet.compiled { #expect(run.error.contains(set.rawValue)) }
    }
  }

  @Test("a trace is written once, and is a reference")
  func trace() throws {
    let folder = try TemporaryDirectory()
    let arguments = [
      "trace", "--weights", "\(goldens)/yolo11-tiny-n.safetensors", "--input",
      "\(goldens)/yolo11-tiny-n.layers.safetensors", "--out", "t.safetensors", "--no-fuse",
    ]
    #expect(try CommandRun(arguments, in: folder.path).status == 0)
    #expect(try CommandRun(arguments, in: folder.path).status == 73)
    let run = try verify(["--reference", "t.safetensors", "--no-fuse"], in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(try CommandRun(arguments + ["--force", "--layers", "nothing"], in: folder.path).status == 64)
  }

  /// A trace of a tiny network on its recorded input.
  private func trace(
    _ name: String, of network: String = "yolo11-tiny-n", in folder: TemporaryDirectory,
    _ more: [String] = [],
    environment: [String: String] = [:]
  ) throws {
    let run = try CommandRun(
      [
        "trace", "--weights", "\(goldens)/\(network).safetensors", "--input",
        "\(goldens)/\(network).layers.safetensors", "--out", name,
      ] + more, in: folder.path, environment: environment)
    #expect(run.status == 0, "\(run.error)")
  }

  @Test(
    "two traces of one network and input are compared without it; the first layer beyond its tolerance is named"
  )
  func traces() throws {
    let folder = try TemporaryDirectory()
    try trace("best.safetensors", in: folder)
    try trace("portable.safetensors", in: folder, environment: ["ARDF_ISA": "portable"])
    func verify(_ arguments: [String]) throws -> CommandRun {
      try CommandRun(["verify"] + arguments, in: folder.path)
    }
    let same = try verify(["best.safetensors", "best.safetensors", "--tol", "*=0,0"])
    #expect(same.status == 0, "\(same.error)")
    let run = try verify(["best.safetensors", "portable.safetensors", "--json"])
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["modes"]?.array?.count == 1 && document["modes"]?[0]?["mode"] == "cumulative")
    #expect((document["modes"]?[0]?["layers"]?.array?.count ?? 0) > 50)
    #expect(document["reference"]?["kernels"] == "portable")

    // One value of a layer in the middle is changed.
    let bytes = try folder.read("portable.safetensors")
    let length = bytes[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    let header = try JSONValue.parse(String(decoding: bytes[8..<8 + length], as: UTF8.self))
    let start = try #require(header["model.5"]?["data_offsets"]?[0]?.integer)
    var changed = bytes
    changed.replaceSubrange((8 + length + start)..<(12 + length + start), with: [0, 0, 0x80, 0x42])
    try folder.write(changed, to: "changed.safetensors")
    let broken = try verify(["changed.safetensors", "best.safetensors", "--failed", "--out", "found"])
    #expect(broken.status == 1)
    #expect(
      broken.error.contains("first diverging layer model.5:") && broken.error.contains("at [0, 0, 0, 0]"))
    #expect(try folder.entries().contains("found"))
  }

  @Test("traces that cannot be compared are refused, and say why")
  func otherTraces() throws {
    let folder = try TemporaryDirectory()
    try trace("a.safetensors", in: folder)
    try trace("part.safetensors", in: folder, ["--layers", "model.5"])
    try trace("rest.safetensors", in: folder, ["--layers", "model.3"])
    try trace("depth.safetensors", of: "depth-tiny", in: folder)
    let noise = try CommandRun(
      [
        "trace", "--weights", "\(goldens)/yolo11-tiny-n.safetensors", "--input", "a.safetensors", "--out",
        "again.safetensors",
      ], in: folder.path)
    #expect(noise.status == 0, "\(noise.error)")
    func verify(_ arguments: [String]) throws -> (status: Int32, error: String) {
      let run = try CommandRun(["verify"] + arguments, in: folder.path)
      return (run.status, run.error)
    }
    // A trace holds its input.
    #expect(try verify(["again.safetensors", "a.safetensors", "--tol", "*=0,0"]).status == 0)
    #expect(try verify(["part.safetensors", "a.safetensors"]).status == 0)
    let networks = try verify(["a.safetensors", "depth.safetensors"])
    #expect(
      networks.status == 65 && networks.error.contains("different networks, yolo11"))
    let layers = try verify(["part.safetensors", "rest.safetensors"])
    #expect(layers.status == 65 && layers.error.contains("no layer in common"))
    var other = try folder.read("a.safetensors")
    let length = other[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    let header = try JSONValue.parse(String(decoding: other[8..<8 + length], as: UTF8.self))
    let start = try #require(header["input"]?["data_offsets"]?[0]?.integer)
    other.replaceSubrange((8 + length + start)..<(12 + length + start), with: [0, 0, 0x80, 0x3f])
    try folder.write(other, to: "other.safetensors")
    let inputs = try verify(["a.safetensors", "other.safetensors"])
    #expect(inputs.status == 65 && inputs.error.contains("different inputs"))
    let none = try verify(["\(goldens)/yolo11-tiny-n.safetensors", "a.safetensors"])
    #expect(none.status == 65 && none.error.contains("is not a trace"))
    #expect(try verify(["a.safetensors", "nowhere.safetensors"]).status == 66)
    #expect(try verify(["a.safetensors"]).status == 64)
    #expect(try verify(["a.safetensors", "a.safetensors", "--against", "openblas"]).status == 64)
    #expect(try verify(["a.safetensors", "a.safetensors", "--mode", "isolated"]).status == 64)
  }

  @Test("wrong references end with the exit codes of files")
  func defects() throws {
    #expect(try verify(["--reference", "nowhere.safetensors"]).status == 66)
    #expect(try verify(["--reference", "\(goldens)/depth-tiny.layers.safetensors"]).status == 65)
    #expect(try verify([]).status == 64)
    #expect(try verify(["--against", "openblas", "--tol", "x"]).status == 64)
  }
}

extension VerifyTests {
  @Test(
    "bf16 is compared with fp32, or refused with the exit code of wrong usage where the CPU has no kernels for it"
  )
  func precision() throws {
    let machine = try CommandRun(["inspect", "cpu", "--json"], in: nil)
    let sets = try #require(try machine.json()["instructionSets"]?.array).compactMap(\.string)
    let run = try CommandRun(
      [
        "verify", "--weights",
        "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/yolo11-tiny-n.safetensors",
        "--precision", "bf16", "--against", "fp32", "--size", "64x96",
      ], in: nil)
    if sets.contains("avx512bf16") || sets.contains("neonbf16") {
      #expect(run.status == 0, "\(run.error)")
      #expect(run.output.contains("cumulative: all ") && run.output.contains("isolated: all "))
    } else {
      #expect(run.status == 64)
      #if arch(arm64)
        #expect(run.error.contains("FEAT_BF16 (the flag bf16"))
      #else
        #expect(run.error.contains("avx512_bf16"))
      #endif
    }
  }

  @Test("fp32 is not compared with itself")
  func samePrecision() throws {
    let run = try CommandRun(["verify", "--weights", "w.safetensors", "--against", "fp32"], in: nil)
    #expect(run.status == 64)
  }
}
