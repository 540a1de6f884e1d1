import FileFormats
import NNKernelInterface
import NNKernelsPortable

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if arch(x86_64)
  import NNKernelsAVX2
  import NNKernelsAVX512
  import NNKernelsBF16
  import NNKernelsVNNI
#elseif arch(arm64)
  import NNKernelsNEON
  import NNKernelsNEONBF16
  import NNKernelsNEONDotProd
  import NNKernelsNEONFP16
  import NNKernelsNEONI8MM
#endif

/// Why the instruction set asked for cannot be used.
public enum InstructionSetError: Error, Equatable, CustomStringConvertible {
  /// `ARDF_ISA` holds none of the known names.
  case unknownName(String)
  /// The CPU, or its operating system, lacks the instruction set that `ARDF_ISA` asks for.
  case unavailable(String, available: [String])

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .unknownName(let name):
      "ARDF_ISA is \"\(name)\": set it to \(InstructionSet.names), or leave it unset"
    case .unavailable(let name, let available):
      "no kernels \(name) (ARDF_ISA, or the kernels asked for): this CPU lacks what they need; choose "
        + available.joined(separator: " or ")
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
  /// avx512, and products of integers of 16 and 8 bits.
  case avx512vnni
  /// avx512vnni, and products of bf16 pairs in vectors.
  case avx512bf16
  /// avx512bf16, and products of bf16 tiles.
  case amx
  /// arm64: vectors of 128 bits.
  case neon
  /// neon, and products of half precision.
  case neonfp16
  /// neonfp16, and products of integers of 8 bits, four to a lane.
  case neondotprod
  /// neonfp16, and products of matrices of integers of 8 bits.
  case neoni8mm
  /// neoni8mm, and products of bf16 matrices.
  case neonbf16

  /// Those of the architecture that this program is for.
  package static let compiled: [InstructionSet] = {
    #if arch(x86_64)
      return [.portable, .avx2, .avx512, .avx512vnni, .avx512bf16, .amx]
    #elseif arch(arm64)
      return [.portable, .neon, .neonfp16, .neondotprod, .neoni8mm, .neonbf16]
    #else
      return [.portable]
    #endif
  }()

  /// `portable, avx2, ... or amx`.
  package static var names: String {
    let names = compiled.map(\.rawValue)
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " or " + last
  }

  /// Instruction sets of this CPU, from the slowest to the fastest.
  package static let available = allCases.filter { $0.catalogue != nil }

  private static let catalogues = Dictionary(
    uniqueKeysWithValues: allCases.compactMap { set in set.catalogue(of: .current).map { (set, $0) } })

  /// Its kernels and those of the sets it extends; nil where this CPU lacks it.
  package var catalogue: KernelCatalogue? { Self.catalogues[self] }

  /// The kernels that every machine has.
  static var portableCatalogue: KernelCatalogue {
    guard let catalogue = InstructionSet.portable.catalogue else {
      preconditionFailure("no portable kernels")
    }
    return catalogue
  }

  /// Its kernels on a processor; nil where that lacks it, or where this program is for another architecture.
  package func catalogue(of processor: Processor) -> KernelCatalogue? {
    switch self {
    case .portable: catalogue(of: processor, NNKernelsPortable.addKernels)
    #if arch(x86_64)
      case .avx2:
        catalogue(of: processor) {
          NNKernelsAVX2.addKernels(to: &$0, of: $1) && NNKernelsAVX2.addIntegerKernels(to: &$0, of: $1)
        }
      case .avx512: catalogue(of: processor, NNKernelsAVX512.addKernels)
      case .avx512vnni: catalogue(of: processor, after: .avx512, NNKernelsVNNI.addKernels)
      case .avx512bf16: catalogue(of: processor, after: .avx512, NNKernelsBF16.addVectorKernels)
      case .amx: catalogue(of: processor, after: .avx512, NNKernelsBF16.addTileKernels)
      case .neon, .neonfp16, .neondotprod, .neoni8mm, .neonbf16: nil
    #elseif arch(arm64)
      case .neon:
        catalogue(of: processor) {
          NNKernelsNEON.addKernels(to: &$0, of: $1) && NNKernelsNEON.addIntegerKernels(to: &$0, of: $1)
        }
      case .neonfp16: catalogue(of: processor, after: .neon, NNKernelsNEONFP16.addKernels)
      case .neondotprod: catalogue(of: processor, after: .neonfp16, NNKernelsNEONDotProd.addKernels)
      case .neoni8mm: catalogue(of: processor, after: .neonfp16, NNKernelsNEONI8MM.addKernels)
      case .neonbf16: catalogue(of: processor, after: .neonfp16, NNKernelsNEONBF16.addKernels)
      case .avx2, .avx512, .avx512vnni, .avx512bf16, .amx: nil
    #else
      case .avx2, .avx512, .avx512vnni, .avx512bf16, .amx, .neon, .neonfp16, .neondotprod, .neoni8mm,
        .neonbf16:
        nil
    #endif
    }
  }

  private func catalogue(
    of processor: Processor, after set: InstructionSet? = nil,
    _ addKernels: (inout KernelCatalogue, Processor) -> Bool
  ) -> KernelCatalogue? {
    let base = set?.catalogue(of: processor)
    guard set == nil || base != nil else { return nil }
    var catalogue = KernelCatalogue(rawValue, after: base)
    guard addKernels(&catalogue, processor) else { return nil }
    catalogue.complete(by: .plain())
    return catalogue
  }

  /// Its kernels, or why there are none.
  func usable() throws(InstructionSetError) -> KernelCatalogue {
    guard let catalogue else {
      throw .unavailable(rawValue, available: Self.available.map(\.rawValue))
    }
    return catalogue
  }

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
}

extension InstructionSetError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
