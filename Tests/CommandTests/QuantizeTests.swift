import FileFormats
import Foundation
import Imaging
import NNRuntime
import TestSupport
import Testing

@Suite("ardf quantize and ardf verify --sensitivity")
struct QuantizeTests {
  /// Six pictures that differ.
  private func pictures(_ folder: TemporaryDirectory, count: Int = 6) throws -> String {
    for index in 0..<count {
      try folder.write(ImageCodec.encodePNG(SyntheticCapture.picture(phase: index * 7)), to: "p/\(index).png")
    }
    return folder.file("p")
  }

  /// A detector that takes everything for background.
  private func blindDetector(_ folder: TemporaryDirectory) throws -> String {
    let store = try WeightStore(path: TinyNetwork.detector)
    let tensors = try store.names.map { name -> (String, Tensor) in
      let tensor = try store.tensor(named: name)
      guard name.contains(".cv3."), name.hasSuffix(".2.bias") else { return (name, tensor) }
      return (name, Tensor(shape: tensor.shape, floats: tensor.floats().map { _ in -10 }))
    }
    let path = folder.file("blind.safetensors")
    try SafetensorsWriter.write(
      Dictionary(uniqueKeysWithValues: tensors), metadata: store.metadata, to: path, overwrite: false)
    return path
  }

  private static let hasBytes = InstructionSet.available.contains { $0.rawValue == "avx2" }

  @Test("8-bit depth weights: smaller, near in fp32, inspected, and refused a second time")
  func weights() throws {
    let folder = try TemporaryDirectory()
    let calibrate = try pictures(folder)
    let arguments = ["quantize", TinyNetwork.depth, "--calibrate", calibrate, "--out", "w8.safetensors"]
    let run = try CommandRun(arguments + ["--json"], in: folder.path)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["schema"] == "ardf.quantization/1" && document["pictures"] == 6)
    #expect((document["quantized"]?.integer ?? 0) > 4)
    #expect((document["weightError"]?.number ?? 1) <= 0.02)
    let small = try WeightStore(path: folder.file("w8.safetensors"))
    #expect(small.names == (try WeightStore(path: TinyNetwork.depth)).names)
    let listed = try CommandRun(["inspect", "weights", folder.file("w8.safetensors")])
    #expect(listed.status == 0 && listed.output.contains("quantization:") && listed.output.contains(" I8 "))
    let again = try CommandRun(
      ["quantize", folder.file("w8.safetensors"), "--calibrate", calibrate, "--out", "again.safetensors"],
      in: folder.path)
    #expect(again.status == 65 && again.error.contains("has 8-bit weights already"))
    #expect(try CommandRun(arguments, in: folder.path).status == 73)
    // What is computed is near, and the same for any number of threads.
    for threads in ["1", "3"] {
      let depth = try CommandRun(
        [
          "depth", "\(calibrate)/0.png", "--depth", folder.file("w8.safetensors"), "--depth-size", "42",
          "--threads", threads, "--out", "d\(threads)",
        ], in: folder.path)
      #expect(depth.status == 0, "\(depth.error)")
    }
    let one = try NPYArray.read(path: folder.file("d1/relative.npy")).floats()
    #expect(try NPYArray.read(path: folder.file("d3/relative.npy")).floats() == one)
  }

  @Test("bad pictures are named, and the message says what to give")
  func badPictures() throws {
    let folder = try TemporaryDirectory()
    for index in 0..<4 { try folder.write("no picture", to: "all/bad/\(index).png") }
    try FileManager.default.moveItem(atPath: pictures(folder), toPath: folder.file("all/good"))
    for (calibrate, message) in [
      ("all/bad", "none of 4 pictures can be read"),
      ("all", "4 of 10 pictures cannot be read"),
    ] {
      for command in [
        ["quantize", TinyNetwork.depth, "--out", "w8.safetensors"],
        ["verify", "--weights", TinyNetwork.depth, "--precision", "int8", "--sensitivity"],
      ] {
        let run = try CommandRun(command + ["--calibrate", calibrate], in: folder.path)
        #expect(run.status == 65 && run.error.contains("ardf: --calibrate: \(message)"), "\(run.error)")
        #expect(run.error.contains("0.png: no picture of a known format"), "\(run.error)")
        #expect(!run.error.contains("left out"), "nothing is: \(run.error)")
      }
    }
  }

  @Test("the file is the same for any number of threads, and each time", .enabled(if: hasBytes))
  func sameFiles() throws {
    let folder = try TemporaryDirectory()
    let calibrate = try pictures(folder)
    var files: Set<[UInt8]> = []
    for (run, threads) in ["1", "3", "2"].enumerated() {
      let arguments = ["--calibrate", calibrate, "--max-error", "0.2", "--threads", threads]
      let quantized = try CommandRun(
        ["quantize", TinyNetwork.depth, "--out", "\(run).safetensors"] + arguments, in: folder.path)
      #expect(quantized.status == 0, "\(quantized.error)")
      #expect(!quantized.error.contains("stay in )"))
      files.insert(try folder.read("\(run).safetensors"))
    }
    #expect(files.count == 1)
  }

  @Test(
    "the sensitivity of a network, and a plan within an error that other commands run",
    .enabled(if: hasBytes, "this CPU multiplies no integers"))
  func sensitivity() throws {
    let folder = try TemporaryDirectory()
    let base = [
      "verify", "--weights", TinyNetwork.depth, "--precision", "int8", "--sensitivity", "--size", "42x56",
      "--calibrate", try pictures(folder),
    ]
    let run = try CommandRun(base + ["--max-error", "0.1", "--out", "s", "--json"], in: folder.path)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    let layers = document["layers"]?.array ?? []
    #expect(layers.count > 3)
    let errors = layers.compactMap { $0["error"]?.number }
    #expect(errors == errors.sorted(by: >) && errors[0] > 0)
    let curve = document["curve"]?.array ?? []
    #expect(curve.first?["layers"] == 0)
    let plan = try JSONValue.read(path: folder.file("s/plan.json"))
    #expect(plan["schema"] == "ardf.mixed/1" && (plan["error"]?.number ?? 1) <= 0.1)
    let network = try #require(plan["network"]?.string)
    let inspected = try CommandRun(
      [
        "inspect", "plan", TinyNetwork.depth, "--size", "42x56", "--plan", folder.file("s/plan.json"),
        "--json",
      ])
    #expect(inspected.status == 0, "\(inspected.error)")
    let exceptions = Set(plan["layers"]?.object?.keys.map(\.self) ?? [])
    for layer in try inspected.json()["layers"]?.array ?? [] where layer["precision"] == "int8" {
      #expect(!exceptions.contains(layer["name"]?.string ?? ""))
    }
    let other = try CommandRun(
      ["inspect", "plan", TinyNetwork.detector, "--size", "64x64", "--plan", folder.file("s/plan.json")])
    #expect(other.status == 65 && other.error.contains("the plan is of \(network)"))
    let conflict = try CommandRun(
      ["inspect", "plan", TinyNetwork.depth, "--precision", "int16", "--plan", folder.file("s/plan.json")])
    #expect(conflict.status == 65 && conflict.error.contains("leave --precision int16 away"))
    let none = try CommandRun(base + ["--max-error", "0.0000001"], in: folder.path)
    #expect(none.status == 1 && none.error.contains("state a larger error"))
  }

  @Test("calibration with one picture, the same one again, or what a detector knows nothing of, is refused")
  func calibration() throws {
    let folder = try TemporaryDirectory()
    let one = try pictures(folder, count: 1)
    let few = try CommandRun(
      ["quantize", TinyNetwork.depth, "--calibrate", one, "--out", "w8.safetensors"], in: folder.path)
    #expect(few.status == 65 && few.error.contains("1 different picture: give at least 4"), "\(few.error)")
    for index in 1..<6 {
      try folder.write(ImageCodec.encodePNG(SyntheticCapture.picture(phase: 0)), to: "p/\(index).png")
    }
    let same = try CommandRun(
      ["quantize", TinyNetwork.depth, "--calibrate", one, "--out", "w8.safetensors"], in: folder.path)
    #expect(same.status == 65 && same.error.contains("1 different picture"))
    let nothing = try CommandRun(
      [
        "quantize", try blindDetector(folder), "--calibrate", try pictures(folder), "--out", "w8.safetensors",
      ],
      in: folder.path)
    #expect(nothing.status == 65 && nothing.error.contains("the network finds nothing in 6 of 6 pictures"))
    #expect(try !folder.entries().contains("w8.safetensors"))
    let usage = try CommandRun(["quantize", TinyNetwork.depth, "--out", "w8.safetensors"], in: folder.path)
    #expect(usage.status == 64)
    let stray = try CommandRun(
      ["verify", "--weights", TinyNetwork.depth, "--against", "openblas", "--max-error", "0.1"])
    #expect(stray.status == 64 && stray.error.contains("--max-error goes with --sensitivity"))
  }
}
