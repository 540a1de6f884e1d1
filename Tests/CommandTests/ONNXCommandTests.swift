import FileFormats
import Imaging
import NNRuntime
import TestSupport
import Testing

/// `ardf inspect`, `infer` and `verify` of ONNX files: what they answer, and with which exit code.
@Suite struct ONNXCommandTests {
  private func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { SmallONNX.field(number, bytes) }
  private func field(_ number: UInt8, _ text: String) -> [UInt8] { SmallONNX.field(number, Array(text.utf8)) }
  private func model(_ type: String) -> [UInt8] { SmallONNX.model(type) }

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
    #expect(document["obstacle"]?.string?.contains("ardf inspect operators") == true)
    for (type, runs) in [
      ("Relu", "fast"), ("Identity", "fast"), ("Det", "plain"), ("Unheard", "not supported"),
    ] {
      let run = try CommandRun(["inspect", place.write(model(type), to: "m.onnx")])
      #expect(run.status == 0 && run.output.contains(runs), "\(run.output)")
      #expect(run.output.contains("cannot be run: ") == (type == "Unheard"), "\(run.output)")
    }
  }

  @Test(
    "a model whose weights are not there, or whose graph is a circle, is described, and why it cannot be run")
  func obstacles() throws {
    let place = try TemporaryDirectory()
    func port(_ name: String) -> [UInt8] {
      field(1, name) + field(2, field(1, [8, 1] + field(2, field(1, [8, 2]))))
    }
    func node(_ type: String, _ inputs: [String], _ output: String) -> [UInt8] {
      field(1, inputs.flatMap { field(1, $0) } + field(2, output) + field(3, output) + field(4, type))
    }
    func check(_ graph: [UInt8], _ words: String) throws {
      let file = try place.write(
        [8, 8] + field(7, graph + field(11, port("x")) + field(12, port("y"))) + field(8, [16, 18]),
        to: "m.onnx")
      let run = try CommandRun(["inspect", file])
      #expect(
        run.status == 0 && run.output.contains("cannot be run: ") && run.output.contains(words),
        "\(run.output)")
    }
    func entry(_ key: String, _ value: String) -> [UInt8] { field(13, field(1, key) + field(2, value)) }
    for location in ["absent.bin", "../outside.bin"] {
      let weights = [8, 2, 16, 1] + field(8, "c") + entry("location", location) + [112, 1]
      try check(node("Add", ["x", "c"], "y") + field(5, weights), "folder")
    }
    try check(
      node("Add", ["x", "b"], "a") + node("Relu", ["a"], "b") + node("Relu", ["b"], "y"), "export it again")
  }

  @Test("infer writes each output, and takes inputs by name")
  func infer() throws {
    let place = try TemporaryDirectory()
    let file = try place.write(model("Relu"), to: "m.onnx")
    try place.write(NPYArray(shape: [3], floats: [-1, 0, 2]).encoded(), to: "x.npy")
    let run = try CommandRun(
      ["infer", file, "--input", "x=x.npy", "--axis", "n=3", "--out", "results", "-q"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(try NPYArray.read(path: place.file("results/output_0.npy")).floats() == [0, 0, 2])
    let other = try CommandRun(["infer", file, "--input", "z=x.npy", "--out", "more"], in: place.path)
    #expect(other.status == 65 && other.error.contains("its inputs are \"x\""))
    let axis = try CommandRun(
      ["infer", file, "--input", "x=x.npy", "--axis", "n=4", "--out", "more"], in: place.path)
    #expect(axis.status == 65 && !fileExists(place.file("more")))
  }

  @Test("bench, verify and inspect plan are told the sizes of free axes")
  func freeAxes() throws {
    let place = try TemporaryDirectory()
    let file = try place.write(model("Relu"), to: "m.onnx")
    for words in [
      ["bench", file, "--runs", "2", "--threads", "1"], ["verify", file], ["inspect", "plan", file],
      ["tune", file, "--out", "-"],
    ] {
      #expect(try CommandRun(words + ["--axis", "n=3"], in: place.path).status == 0, "\(words)")
      for (axis, message) in [
        ([], "--axis n=SIZE"), (["--axis", "m=3"], "no axis m is free"), (["--axis", "n"], "give NAME=SIZE"),
        (["--axis", "n=3", "--axis", "n=4"], "is given twice"),
      ] {
        let run = try CommandRun(words + axis, in: place.path)
        #expect(run.status == 64 && run.error.contains(message), "\(words) \(axis): \(run.error)")
      }
    }
    let csv = try CommandRun(
      ["bench", file, "--runs", "2", "--axis", "n=3", "--out", "times.csv"], in: place.path)
    #expect(csv.status == 0, "\(csv.error)")
    #expect(
      String(decoding: try place.read("times.csv"), as: UTF8.self).hasPrefix("network,kernels,input,threads,")
    )
    let old = ["bench", file, "--runs", "2", "--axis", "n=3", "--report", "json", "--out", "old.json"]
    #expect(try CommandRun(old, in: place.path).status == 0)
    let compared = try CommandRun(
      ["bench", file, "--runs", "2", "--axis", "n=3", "--compare", "old.json", "--tolerance", "10"],
      in: place.path)
    #expect(compared.status == 0 && compared.output.contains("new/old"), "\(compared.error)")
  }

  @Test("what infer cannot take is refused by name")
  func refusals() throws {
    let place = try TemporaryDirectory()
    let file = try place.write(model("Relu"), to: "m.onnx")
    try place.write(NPYArray(shape: [3], floats: [-1, 0, 2]).encoded(), to: "x.npy")
    try place.write(Array("rubbish".utf8), to: "best.pt")
    try place.write([0x1c, 0, 0, 0] + Array("TFL3".utf8) + [UInt8](repeating: 0, count: 40), to: "net.onnx")
    for (words, status, message) in [
      ([file, "--input", "x=x.npy", "--out", "-"], 64, "give a folder"),
      ([file, "--input", "x=x.npy", "--input", "x=x.npy", "--out", "o"], 64, "is given twice"),
      ([file, "--input", "x=x.npy", "--resize", "2x2", "--out", "o"], 64, "prepare pictures"),
      ([file, "--input", "x=x.npy", "--resize", "2", "--out", "o"], 64, "--resize 2"),
      (["best.pt", "--input", "x=x.npy", "--out", "o"], 69, "no graph"),
      (["net.onnx", "--input", "x=x.npy", "--out", "o"], 69, "TensorFlow Lite"),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(["infer"] + words, in: place.path)
      #expect(run.status == status && run.error.contains(message), "\(words): \(run.error)")
      #expect(!fileExists(place.file("o")))
    }
  }

  @Test("verify: recorded tensors by name, what was not compared, and a wrong one")
  func recorded() throws {
    let place = try TemporaryDirectory()
    let file = try place.write(model("Relu"), to: "m.onnx")
    func reference(_ name: String, _ y: [Float], more: Bool = false) throws {
      var tensors = ["x": Tensor(shape: [2], floats: [1, -2]), "y": Tensor(shape: [2], floats: y)]
      if more { tensors["z"] = Tensor(shape: [1], floats: [0]) }
      try SafetensorsWriter.write(tensors, to: place.file(name), overwrite: false)
    }
    try reference("right.safetensors", [1, 0])
    try reference("wrong.safetensors", [1, 0.5])
    try reference("other.safetensors", [1, 0], more: true)
    for (name, status) in [("right", 0), ("wrong", 1), ("other", 1)] as [(String, Int32)] {
      let run = try CommandRun(["verify", file, "--reference", place.file("\(name).safetensors")])
      #expect(run.status == status, "\(name): \(run.output) \(run.error)")
    }
  }

  @Test("a picture becomes the input as it is asked to be")
  func pictures() throws {
    let place = try TemporaryDirectory()
    try place.write(ImageCodec.encodePNG(RGBImage(width: 1, height: 1, pixels: [255, 0, 51])), to: "p.png")
    func axis(_ size: UInt8) -> [UInt8] { field(1, [8, size]) }
    func port(_ name: String) -> [UInt8] {
      field(1, name) + field(2, field(1, [8, 1] + field(2, axis(1) + axis(3) + axis(1) + axis(1))))
    }
    let graph =
      field(1, field(1, "x") + field(2, "y") + field(3, "only") + field(4, "Identity")) + field(11, port("x"))
      + field(12, port("y"))
    let file = try place.write([8, 8] + field(7, graph) + field(8, [16, 18]), to: "m.onnx")
    let run = try CommandRun(
      ["infer", file, "--input", "x=p.png", "--bgr", "--mean", "0.5", "--std", "0.25", "--out", "o"],
      in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("results in o: infer.json"), "\(run.error)")
    #expect(
      try NPYArray.read(path: place.file("o/output_0.npy")).floats().map { ($0 * 10).rounded() } == [
        -12, -20, 20,
      ])
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
    let absent = try CommandRun(["verify", "--cases", equal, "nowhere"])
    #expect(absent.status == 66 && absent.output.contains("nowhere\t66\t"), "\(absent.output)")
    #expect(try CommandRun(["verify", "--cases", different, "nowhere"]).status == 1)
  }

  @Test("a trace holds every tensor of a run by its name, and is a reference of the model")
  func trace() throws {
    let place = try TemporaryDirectory()
    let model = try place.write(model("Relu"), to: "m.onnx")
    try place.write(
      NPYArray(shape: [3], floats: [1, -2, 3]).encoded(), to: "x.npy")
    let run = try CommandRun(
      ["trace", "--weights", model, "--input", "x=x.npy", "--out", "t.safetensors", "--json"], in: place.path)
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.json()["layers"] == ["x", "y"])
    let store = try WeightStore(path: place.file("t.safetensors"))
    #expect(try store.tensor(named: "y").floats() == [1, 0, 3])
    let verify = try CommandRun(["verify", model, "--reference", place.file("t.safetensors")])
    #expect(verify.status == 0, "\(verify.error)")
    let drawn = try CommandRun(
      ["trace", "--weights", model, "--axis", "n=4", "--layers", "y", "--out", "d.safetensors"],
      in: place.path)
    #expect(drawn.status == 0, "\(drawn.error)")
    #expect(
      try WeightStore(path: place.file("d.safetensors")).names == ["x", "y"], "a reference has its inputs")
    #expect(
      try WeightStore(path: place.file("d.safetensors")).tensor(named: "x").floats().contains { $0 > 0 })
    let otherWay = try CommandRun(["verify", "--weights", model, "--reference", place.file("d.safetensors")])
    #expect(otherWay.status == 0, "\(otherWay.error)")
    let beside = try CommandRun(["verify", model, place.file("d.safetensors")])
    #expect(beside.status == 64 && beside.error.contains("--reference"), "\(beside.error)")
    for (options, status, words) in [
      (["--layers", "z"], 64, "no tensor fits"), (["--out", "-"], 64, "give its name"),
      (["--size", "64x64"], 64, "--size 64x64"),
      (["--input", "z=x.npy"], 65, "its inputs are \"x\""),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(
        ["trace", "--weights", model, "--axis", "n=3", "--out", "e.safetensors"] + options, in: place.path)
      #expect(run.status == status && run.error.contains(words), "\(run.error)")
    }
  }
}
