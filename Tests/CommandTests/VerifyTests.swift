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
    #expect(document["schema"]?.string == "ardf.verify/1" && document["passed"]?.bool == false)
    #expect(document["modes"]?[0]?["firstDiverging"]?.string == "model.7")
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
      // Ink on white, and colours of the heat map.
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
    arguments: ["openblas"] + InstructionSet.available.filter { !$0.hasReducedPrecision }.map(\.rawValue))
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
