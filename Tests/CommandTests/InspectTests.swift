import Digests
import FileFormats
import Imaging
import NNRuntime
import TestSupport
import Testing

/// `ardf inspect`: what it says of weights, plans and the processor.
@Suite struct InspectTests {
  @Test("weights: digest, and the statistics of every tensor")
  func weights() throws {
    let place = try TemporaryDirectory()
    let file = place.file("w.safetensors")
    try SafetensorsWriter.write(
      [
        "a": Tensor(shape: [2, 2], floats: [1, 2, 3, -6]),
        "b": Tensor(shape: [3], floats: [.nan, 4, -.infinity]),
        "c": Tensor(shape: [0], floats: []),
      ], metadata: ["license": "none"], to: file, overwrite: false)
    let run = try CommandRun(["inspect", "weights", file, "--json"])
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["sha256"]?.string == (try sha256Hex(path: file)))
    #expect(document["values"]?.integer == 7 && document["nonFinite"]?.integer == 2)
    let tensors = try #require(document["tensors"]?.array)
    #expect(tensors[0]["min"]?.number == -6 && tensors[0]["max"]?.number == 3)
    #expect(tensors[0]["mean"]?.number == 0)
    // The squares are 1, 4, 9 and 36.
    #expect(tensors[0]["deviation"]?.number == 12.5.squareRoot())
    #expect(tensors[1]["nonFinite"]?.integer == 2 && tensors[1]["mean"]?.number == 4)
    #expect(tensors[2]["min"]?.number == 0 && tensors[2]["deviation"]?.number == 0)
    #expect(run.error.contains("2 elements are infinite or NaN, in b"))
    #expect(
      try CommandRun(["inspect", "weights", file]).output.contains("license: none\n3 tensors, 7 values\n"))
  }

  @Test("plan: a picture of the arena with a rectangle a buffer")
  func arena() throws {
    let place = try TemporaryDirectory()
    let arguments = ["inspect", "plan", TinyNetwork.detector, "--size", "64x64", "--arena", "arena.svg"]
    #expect(try CommandRun(arguments, in: place.path).status == 0)
    let picture = String(decoding: try place.read("arena.svg"), as: UTF8.self)
    #expect(picture.contains("<title>input: 49.2 kB at ") && picture.contains("<title>model.0: "))
    #expect(try CommandRun(arguments, in: place.path).status == 73)
    #expect(try CommandRun(arguments + ["--force"], in: place.path).status == 0)
  }

  @Test("kernels: every row of the catalogue, by the names that plans have")
  func kernels() throws {
    let listing = try CommandRun(["inspect", "kernels", "--json"]).json()
    let kernels = try #require(listing["kernels"]?.array)
    let names = kernels.compactMap { $0["name"]?.string }
    #expect(names.count == kernels.count && Set(names).count == names.count)
    let direct = try #require(kernels.first { $0["name"]?.string?.hasSuffix("/direct-f32") == true })
    #expect(direct["computes"]?.string == "all but 1x1")
    #expect(direct["fuses"]?.array == [.string("planes"), .string("residual")])
    let plan = try CommandRun(["inspect", "plan", TinyNetwork.detector, "--size", "64x64", "--json"]).json()
    let layers = try #require(plan["layers"]?.array)
    let used = layers.compactMap { $0["kernel"]?.string }
    #expect(!used.isEmpty && used.allSatisfy(names.contains))
    #expect(layers.allSatisfy { ($0["kernel"]?.string == nil) == ($0["algorithm"]?.string == "none") })
    let text = try CommandRun(["inspect", "kernels"], environment: ["ARDF_ISA": "portable"]).output
    #expect(text.contains("portable/winograd-f6x6-f32") && !text.contains("avx512"))
  }

  @Test("processor: features, and a warning where OpenBLAS does without them")
  func processor() throws {
    let machine = try CommandRun(["inspect", "cpu", "--json"]).json()
    #if arch(x86_64)
      let common = "sse4_2"
    #else
      let common = "asimd"
    #endif
    #expect(machine["features"]?.array?.contains(.string(common)) == true)
    let best = try #require(
      InstructionSet.available.last { $0.catalogue?.precisions.contains(.bf16) == false })
    // OpenBLAS has kernels for old processors of x86-64.
    guard [.avx2, .avx512].contains(best) else { return }
    let old = try CommandRun(["inspect", "cpu"], environment: ["OPENBLAS_CORETYPE": "Nehalem"])
    #expect(old.status == 0)
    #expect(old.error.contains("OpenBLAS chose its Nehalem kernels") && old.error.contains(best.rawValue))
  }
}
