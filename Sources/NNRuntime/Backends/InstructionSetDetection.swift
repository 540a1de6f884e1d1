import CKernelShims
import Glibc
import NNKernelInterface
import NNKernelsAVX2
import NNKernelsAVX512
import NNKernelsBF16
import NNKernelsPortable

/// Why the instruction set asked for cannot be used.
public enum InstructionSetError: Error, Equatable, CustomStringConvertible {
  /// `ARDF_ISA` holds none of the known names.
  case unknownName(String)
  /// The CPU, or its operating system, lacks the instruction set that `ARDF_ISA` asks for.
  case unavailable(String, available: [String])

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .unknownName(let name):
      "ARDF_ISA is \"\(name)\": set it to portable, avx2, avx512, avx512bf16 or amx, or leave it unset"
    case .unavailable(let name, let available):
      "ARDF_ISA asks for \(name), which this CPU lacks: it has \(available.joined(separator: ", "))"
    }
  }
}

/// The instruction sets that kernels are compiled for.
package enum InstructionSet: String, CaseIterable, Sendable {
  /// The baseline of the architecture.
  case portable
  /// x86-64-v3: AVX2 and FMA.
  case avx2
  /// x86-64-v4: AVX-512 F, BW, CD, DQ and VL.
  case avx512
  /// avx512, and products of bf16 pairs in vectors.
  case avx512bf16
  /// avx512bf16, and products of bf16 tiles.
  case amx

  /// What this CPU can run, from the slowest to the fastest.
  package static let available: [InstructionSet] = {
    let cpu = CPUFeatures.detected
    return allCases.filter { set in
      switch set {
      case .portable: true
      case .avx2: cpu.isLevel3
      case .avx512: cpu.isLevel4
      case .avx512bf16: cpu.isLevel4 && cpu.hasBF16
      case .amx: cpu.isLevel4 && cpu.hasBF16 && cpu.hasTiles && ardf_request_tiles() != 0
      }
    }
  }()

  /// The one to use: what the environment variable `ARDF_ISA` names, else the fastest available.
  package static func selected() throws(InstructionSetError) -> InstructionSet {
    guard let forced = unsafe getenv("ARDF_ISA").map({ unsafe String(cString: $0) }), !forced.isEmpty else {
      return available.last ?? .portable
    }
    return try named(forced)
  }

  /// The available instruction set of that name.
  package static func named(_ name: String) throws(InstructionSetError) -> InstructionSet {
    guard let set = InstructionSet(rawValue: name) else { throw .unknownName(name) }
    guard available.contains(set) else { throw .unavailable(name, available: available.map(\.rawValue)) }
    return set
  }

  /// Its kernels, only to be used where the set is available.
  package var kernels: KernelTable {
    switch self {
    case .portable: NNKernelsPortable.kernels
    case .avx2: NNKernelsAVX2.kernels
    case .avx512, .avx512bf16, .amx: NNKernelsAVX512.kernels
    }
  }

  /// Its kernels of reduced precision, where it has any; only to be used where the set is available.
  package var mixedKernels: MixedKernelTable? {
    switch self {
    case .portable, .avx2, .avx512: nil
    case .avx512bf16: NNKernelsBF16.vectorKernels
    case .amx: NNKernelsBF16.tileKernels
    }
  }
}

/// Feature bits, as CPUID and XCR0 report them.
struct CPUFeatures {
  /// CPUID leaf 1 ecx, leaf 7 ebx, ecx and edx, its subleaf 1 eax, leaf 0x80000001 ecx; XCR0.
  var basic, structured, structuredECX, structuredEDX, structured1, extended: UInt32
  var savedState: UInt64

  static let detected: CPUFeatures = {
    #if arch(x86_64)
      let basic = ardf_cpuid(1, 0).ecx
      let osSavesState = basic & Basic.osxsave != 0
      return CPUFeatures(
        basic: basic, structured: ardf_cpuid(7, 0).ebx, structuredECX: ardf_cpuid(7, 0).ecx,
        structuredEDX: ardf_cpuid(7, 0).edx, structured1: ardf_cpuid(7, 1).eax,
        extended: ardf_cpuid(0x8000_0001, 0).ecx,
        savedState: osSavesState ? ardf_xgetbv0() : 0)
    #else
      return CPUFeatures(
        basic: 0, structured: 0, structuredECX: 0, structuredEDX: 0, structured1: 0, extended: 0,
        savedState: 0)
    #endif
  }()

  /// All of x86-64-v3, with ymm registers saved by the operating system.
  var isLevel3: Bool {
    basic & Basic.level3 == Basic.level3 && structured & Structured.level3 == Structured.level3
      && extended & Extended.level3 == Extended.level3 && savedState & State.ymm == State.ymm
  }

  /// All of x86-64-v4, with zmm and mask registers saved by the operating system.
  var isLevel4: Bool {
    isLevel3 && structured & Structured.level4 == Structured.level4 && savedState & State.zmm == State.zmm
  }

  /// AVX-512 BF16, and the products of 16-bit integers that every CPU with it has (VNNI).
  var hasBF16: Bool { structured1 & Structured.bf16 != 0 && structuredECX & Structured.vnni != 0 }

  /// AMX with bf16 products, tiles saved by the operating system.
  var hasTiles: Bool {
    structuredEDX & Structured.tiles == Structured.tiles && savedState & State.tiles == State.tiles
  }

  /// Leaf 1, ecx.
  private enum Basic {
    static let osxsave: UInt32 = 1 << 27
    /// SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C.
    static let level3: UInt32 =
      1 << 0 | 1 << 9 | 1 << 12 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 22 | 1 << 23 | 1 << 27 | 1 << 28 | 1
      << 29
  }

  /// Leaf 7; ebx where nothing else is said.
  private enum Structured {
    /// BMI1, AVX2, BMI2.
    static let level3: UInt32 = 1 << 3 | 1 << 5 | 1 << 8
    /// AVX-512 F, DQ, CD, BW, VL.
    static let level4: UInt32 = 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30 | 1 << 31
    /// Subleaf 1, eax: AVX-512 BF16.
    static let bf16: UInt32 = 1 << 5
    /// ecx: AVX-512 VNNI.
    static let vnni: UInt32 = 1 << 11
    /// edx: AMX-BF16, AMX-TILE.
    static let tiles: UInt32 = 1 << 22 | 1 << 24
  }

  /// Leaf 0x80000001, ecx.
  private enum Extended {
    /// LAHF/SAHF, LZCNT.
    static let level3: UInt32 = 1 << 0 | 1 << 5
  }

  /// XCR0.
  private enum State {
    static let ymm: UInt64 = 1 << 1 | 1 << 2
    static let zmm: UInt64 = ymm | 1 << 5 | 1 << 6 | 1 << 7
    static let tiles: UInt64 = 1 << 17 | 1 << 18
  }
}
