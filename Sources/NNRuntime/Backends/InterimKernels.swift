import NNKernelInterface
import NNKernelsAVX512
package enum InstructionSet {
  case avx512
  static func selected() throws -> InstructionSet { .avx512 }
  var kernels: KernelTable { NNKernelsAVX512.kernels }
}
func openBLASKernels() throws -> KernelTable { NNKernelsAVX512.kernels }
