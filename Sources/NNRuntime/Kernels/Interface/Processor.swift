import CKernelShims

/// Features of a processor whose registers the operating system saves.
public struct Processor: Sendable {
  /// Groups of instructions that kernels are compiled for.
  public struct Features: OptionSet, Hashable, Sendable {
    /// A bit for each group.
    public let rawValue: UInt16
    /// The groups of some bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The baseline of the architecture.
    public static let baseline = Features([])
    /// x86-64-v3: AVX2 and FMA.
    public static let avx2 = Features(rawValue: 1 << 0)
    /// x86-64-v4: AVX-512 F, BW, CD, DQ and VL.
    public static let avx512 = Features(rawValue: 1 << 1)
    /// Products of integers, pairs of 16 bits and four of 8: AVX-512 VNNI.
    public static let integers = Features(rawValue: 1 << 9)
    /// Products of pairs of bf16: AVX-512 BF16.
    public static let bf16Pairs = Features(rawValue: 1 << 2)
    /// Products of bf16 tiles: AMX.
    public static let amx = Features(rawValue: 1 << 3)
    /// arm64's vectors of 128 bits with fused multiply-add: Advanced SIMD.
    public static let neon = Features(rawValue: 1 << 4)
    /// Arithmetic in half precision: FEAT_FP16.
    public static let fp16 = Features(rawValue: 1 << 5)
    /// Products of 8-bit integers, four to a lane: FEAT_DotProd.
    public static let dotProducts = Features(rawValue: 1 << 6)
    /// Products of matrices of 8-bit integers: FEAT_I8MM.
    public static let integerMatrices = Features(rawValue: 1 << 7)
    /// Products of matrices of bf16: FEAT_BF16.
    public static let bfloatMatrices = Features(rawValue: 1 << 8)

    /// Their names, for people.
    public var names: [String] {
      [
        (Self.avx2, "avx2"), (.avx512, "avx512"), (.integers, "avx512vnni"),
        (.bf16Pairs, "avx512bf16"), (.amx, "amx"), (.neon, "neon"),
        (.fp16, "fp16"), (.dotProducts, "dotprod"), (.integerMatrices, "i8mm"), (.bfloatMatrices, "bf16"),
      ]
      .filter { contains($0.0) }.map(\.1)
    }
  }

  /// Features.
  public let features: Features
  /// Whether its vectors multiply pairs of bf16 no faster than floats, and pairs of 16-bit integers twice as fast: Intel's.
  public let hasSlowPairs: Bool

  /// The one that this process runs on.
  public static let current = Processor(features: ownFeatures, hasSlowPairs: ownPairsAreSlow)
  /// One that can do no more than every processor of its architecture.
  public static let plain = Processor(features: .baseline, hasSlowPairs: false)

  private init(features: Features, hasSlowPairs: Bool) {
    self.features = features
    self.hasSlowPairs = hasSlowPairs
  }
}

/// Proof that a processor has features; without one there is no kernel that uses them.
public struct Permit: Sendable {
  /// Features proved to be present.
  public let features: Processor.Features

  /// Features that every processor has.
  public static let baseline = Permit(unchecked: .baseline)

  /// Nil where `processor` lacks one of `features`.
  public init?(_ features: Processor.Features, of processor: Processor) {
    guard processor.features.isSuperset(of: features) else { return nil }
    self.init(unchecked: features)
  }

  private init(unchecked features: Processor.Features) { self.features = features }
}

/// The features of this process's processor, asked in the architecture's own way.
private let ownFeatures: Processor.Features = {
  var features = Processor.Features.baseline
  #if arch(x86_64)
    let cpu = CPUID.current
    if cpu.isLevel3 { features.insert(.avx2) }
    if cpu.isLevel4 { features.insert(.avx512) }
    if cpu.hasIntegers { features.insert(.integers) }
    if cpu.hasPairs { features.insert(.bf16Pairs) }
    if cpu.hasTiles { features.insert(.amx) }
  #elseif arch(arm64)
    let cpu = HardwareCapabilities.current
    if cpu.hasVectors { features.insert(.neon) }
    if cpu.hasHalves { features.insert(.fp16) }
    if cpu.hasDotProducts { features.insert(.dotProducts) }
    if cpu.hasIntegerMatrices { features.insert(.integerMatrices) }
    if cpu.hasBFloatMatrices { features.insert(.bfloatMatrices) }
  #endif
  return features
}()

private let ownPairsAreSlow: Bool = {
  #if arch(x86_64)
    // The first four letters of "GenuineIntel".
    return ardf_cpuid(0, 0).ebx == 0x756e_6547
  #else
    return false
  #endif
}()

#if arch(x86_64)
  /// Feature bits, as CPUID and XCR0 report them.
  private struct CPUID {
    /// CPUID leaf 1 ecx, leaf 7 ebx, ecx and edx, its subleaf 1 eax, leaf 0x80000001 ecx; XCR0.
    var basic, structured, structuredECX, structuredEDX, structured1, extended: UInt32
    var savedState: UInt64

    static var current: CPUID {
      let basic = ardf_cpuid(1, 0).ecx
      let osSavesState = basic & Basic.osxsave != 0
      return CPUID(
        basic: basic, structured: ardf_cpuid(7, 0).ebx, structuredECX: ardf_cpuid(7, 0).ecx,
        structuredEDX: ardf_cpuid(7, 0).edx, structured1: ardf_cpuid(7, 1).eax,
        extended: ardf_cpuid(0x8000_0001, 0).ecx,
        savedState: osSavesState ? ardf_xgetbv0() : 0)
    }

    /// All of x86-64-v3, with ymm registers saved by the operating system.
    var isLevel3: Bool {
      basic & Basic.level3 == Basic.level3 && structured & Structured.level3 == Structured.level3
        && extended & Extended.level3 == Extended.level3 && savedState & State.ymm == State.ymm
    }

    /// All of x86-64-v4, with zmm and mask registers saved by the operating system.
    var isLevel4: Bool {
      isLevel3 && structured & Structured.level4 == Structured.level4 && savedState & State.zmm == State.zmm
    }

    /// AVX-512 VNNI.
    var hasIntegers: Bool { structuredECX & Structured.vnni != 0 }

    /// AVX-512 BF16.
    var hasPairs: Bool { structured1 & Structured.bf16 != 0 }

    /// AMX with bf16 products, tiles saved by the operating system, which has to be asked for them.
    var hasTiles: Bool {
      structuredEDX & Structured.tiles == Structured.tiles && savedState & State.tiles == State.tiles
        && ardf_request_tiles() != 0
    }

    /// Leaf 1, ecx.
    private enum Basic {
      static let osxsave: UInt32 = 1 << 27
      /// SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C.
      static let level3: UInt32 = bits(0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29)
    }

    /// Leaf 7; ebx where nothing else is said.
    private enum Structured {
      /// BMI1, AVX2, BMI2.
      static let level3: UInt32 = bits(3, 5, 8)
      /// AVX-512 F, DQ, CD, BW, VL.
      static let level4: UInt32 = bits(16, 17, 28, 30, 31)
      /// Subleaf 1, eax: AVX-512 BF16.
      static let bf16: UInt32 = 1 << 5
      /// ecx: AVX-512 VNNI.
      static let vnni: UInt32 = 1 << 11
      /// edx: AMX-BF16, AMX-TILE.
      static let tiles: UInt32 = bits(22, 24)
    }

    /// Leaf 0x80000001, ecx.
    private enum Extended {
      /// LAHF/SAHF, LZCNT.
      static let level3: UInt32 = bits(0, 5)
    }

    /// XCR0.
    private enum State {
      static let ymm: UInt64 = 1 << 1 | 1 << 2
      static let zmm: UInt64 = ymm | 1 << 5 | 1 << 6 | 1 << 7
      static let tiles: UInt64 = 1 << 17 | 1 << 18
    }
  }

  /// A number with these bits set.
  private func bits(_ positions: UInt32...) -> UInt32 { positions.reduce(0) { $0 | 1 << $1 } }
#elseif arch(arm64)
  /// An arm64 processor's features as Linux reports them, in two words of the process's auxiliary vector.
  private struct HardwareCapabilities {
    /// AT_HWCAP and AT_HWCAP2.
    var first, second: UInt64

    static var current: HardwareCapabilities {
      HardwareCapabilities(first: ardf_hardware_capabilities(), second: ardf_hardware_capabilities2())
    }

    /// ASIMD: vectors of 128 bits.
    var hasVectors: Bool { has(1, first) }
    /// FPHP and ASIMDHP: arithmetic in half precision, of scalars and of vectors.
    var hasHalves: Bool { has(9, first) && has(10, first) }
    /// ASIMDDP.
    var hasDotProducts: Bool { has(20, first) }
    /// I8MM.
    var hasIntegerMatrices: Bool { has(13, second) }
    /// BF16.
    var hasBFloatMatrices: Bool { has(14, second) }

    private func has(_ bit: UInt64, _ word: UInt64) -> Bool { word >> bit & 1 == 1 }
  }
#endif
