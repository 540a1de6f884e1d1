import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The machine that networks would run on.
struct Machine {
  let processor: String
  let processors: Int
  /// Instruction sets with kernels, from the slowest to the fastest.
  let instructionSets: [String]
  /// The instruction set of `ARDF_ISA`, else of the processor.
  let inUse: String
  /// The kernels of the installed OpenBLAS; nil without it.
  let blas: String?
  /// The processor's features that matter to numerical kernels, as Linux names them.
  let features: [String]

  /// - Throws: `InstructionSetError`.
  static func current() throws -> Machine {
    Machine(
      processor: processor ?? "unknown", processors: ThreadPool.processors,
      instructionSets: InstructionSet.available.map(\.rawValue),
      inUse: try InstructionSet.selected().rawValue,
      blas: try? openBLASCoreName(),
      features: features(of: information("flags") ?? information("Features") ?? ""))
  }

  /// Faults of the setup, for people.
  var warnings: [String] {
    guard let blas, let level = Self.level(ofCore: blas),
      let best = instructionSets.last(where: Self.levels.contains),
      let wanted = Self.levels.firstIndex(of: best), level < wanted
    else { return [] }
    return [
      "OpenBLAS chose its \(blas) kernels, which use \(Self.levels[level]), although the processor has \(best): "
        + "products will be slow; set OPENBLAS_CORETYPE=\(Self.cores[wanted][0]) or install a newer libopenblas"
    ]
  }

  /// The machine's host name.
  static var hostName: String {
    let name = FileManager.default.contents(atPath: "/proc/sys/kernel/hostname") ?? Data()
    return String(decoding: name, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
      ?? "localhost"
  }

  // MARK: What OpenBLAS uses

  /// Instruction sets by their capabilities, in rising order.
  static let levels = ["portable", "avx2", "avx512"]
  /// OpenBLAS's names of its kernels, by instruction set.
  private static let cores = [
    [
      "Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Sandybridge", "Atom", "Athlon", "Opteron",
      "Opteron_SSE3", "Barcelona", "Bobcat", "Bulldozer", "Piledriver", "Steamroller", "Excavator", "Nano",
      "Katmai", "Coppermine", "Northwood", "Banias",
    ],
    ["Haswell", "Zen"],
    ["SkylakeX", "Cooperlake", "SapphireRapids"],
  ]

  /// The index in `levels` of OpenBLAS's kernels `name`; nil for an unknown name.
  static func level(ofCore name: String) -> Int? {
    cores.firstIndex { $0.contains { $0.lowercased() == name.lowercased() } }
  }

  // MARK: /proc/cpuinfo

  private static let interesting = [
    "sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni", "avx512f", "avx512bw", "avx512dq", "avx512vl",
    "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8", "amx_bf16", "amx_fp16",
    // arm64's.
    "asimd", "asimdhp", "asimddp", "i8mm", "bf16", "sve", "sve2", "sme",
  ]

  private static func features(of flags: String) -> [String] {
    let flags = Set(flags.split(separator: " ").map(String.init))
    return interesting.filter(flags.contains)
  }

  /// The processor's name; on arm64, where Linux gives none, the numbers of its vendor and part.
  private static var processor: String? {
    if let name = information("model name") { return name }
    guard let maker = information("CPU implementer"), let part = information("CPU part") else { return nil }
    return "arm64, implementer \(maker), part \(part)"
  }

  /// A field of the first processor's entry in `/proc/cpuinfo`.
  private static func information(_ name: String) -> String? {
    guard let data = FileManager.default.contents(atPath: "/proc/cpuinfo") else { return nil }
    let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { line in
      line.hasPrefix(name) && line.dropFirst(name.count).first.map { "\t :".contains($0) } == true
    }
    return line?.split(separator: ":", maxSplits: 1).last.map { $0.drop { $0 == " " }.description }
  }
}
