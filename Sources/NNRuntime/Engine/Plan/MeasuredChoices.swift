import FileFormats
import NNKernelInterface

/// Algorithms of convolutions that were measured on a machine: what `ardf tune` writes and `--plan` reads.
///
/// The same choices give the same results on any machine and for any number of threads: a network planned with
/// them times nothing.
package struct MeasuredChoices: Sendable, Equatable {
  /// One convolution and the time that each of its algorithms took.
  package struct Entry: Sendable, Equatable {
    /// The convolution.
    package var shape: ConvolutionShape
    /// The kernel to compute it.
    package var algorithm: Algorithm
    /// Milliseconds of every algorithm that was tried.
    package var milliseconds: [Algorithm: Double]

    /// A measured convolution.
    package init(shape: ConvolutionShape, algorithm: Algorithm, milliseconds: [Algorithm: Double]) {
      self.shape = shape
      self.algorithm = algorithm
      self.milliseconds = milliseconds
    }
  }

  /// The kernels that were measured, by name.
  package let kernels: String
  /// In the order of the network; shapes are unique.
  package let entries: [Entry]
  private let indices: [ConvolutionShape: Int]

  /// Choices for the kernels called `kernels`.
  ///
  /// - Throws: `MeasuredChoicesError` where a shape comes twice, or no kernel computes it with its algorithm. The portable
  ///   kernels, which every machine has, stand for all.
  package init(kernels: String, entries: [Entry]) throws(MeasuredChoicesError) {
    self.kernels = kernels
    self.entries = entries
    let portable = InstructionSet.portableCatalogue
    var indices: [ConvolutionShape: Int] = [:]
    for (index, entry) in entries.enumerated() {
      guard indices[entry.shape] == nil else { throw .duplicate(entry.shape.text) }
      guard portable.candidates(entry.shape).contains(where: { $0.algorithm == entry.algorithm }) else {
        throw .impossible(entry.shape.text, algorithm: entry.algorithm.rawValue)
      }
      indices[entry.shape] = index
    }
    self.indices = indices
  }

  /// The choice for a convolution that was measured.
  subscript(shape: ConvolutionShape) -> Entry? { indices[shape].map { entries[$0] } }

  /// These choices, and those of `other` for convolutions that are not among them.
  ///
  /// - Throws: `MeasuredChoicesError.otherKernels` where the two were measured with different kernels.
  package func merging(_ other: MeasuredChoices) throws(MeasuredChoicesError) -> MeasuredChoices {
    guard other.kernels == kernels else {
      throw .otherKernels(measured: other.kernels, running: kernels)
    }
    return try MeasuredChoices(
      kernels: kernels, entries: entries + other.entries.filter { indices[$0.shape] == nil })
  }
}

extension MeasuredChoices.Entry {
  /// `measured: winograd-f4x4 0.81 ms, direct 1.20 ms`.
  package var reason: String {
    let times = milliseconds.sorted { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
    return "measured: "
      + times.map { "\($0.key.rawValue) \(Double(Int(clamping: $0.value * 1000 + 0.5)) / 1000) ms" }
      .joined(separator: ", ")
  }
}

extension ConvolutionShape {
  /// `80x80x64 -> 40x40x128, 3x3, stride 2, padding 1`.
  package var text: String {
    "\(inHeight)x\(inWidth)x\(inChannels) -> \(outHeight)x\(outWidth)x\(outChannels), "
      + "\(kernelHeight)x\(kernelWidth), stride \(stride), padding \(padding)"
  }
}

/// Why measured choices cannot be used.
package enum MeasuredChoicesError: Error, Equatable, CustomStringConvertible {
  /// The same convolution twice.
  case duplicate(String)
  /// An algorithm that does not compute such a convolution.
  case impossible(String, algorithm: String)
  /// Measured with other kernels than those that are to run.
  case otherKernels(measured: String, running: String)
  /// A document that `ardf tune` did not write.
  case malformed(String)

  /// One line that says what is wrong and what to do.
  package var description: String {
    switch self {
    case .duplicate(let shape): "the plan file has the convolution \(shape) twice: tune again"
    case .impossible(let shape, let algorithm):
      "the plan file wants \(algorithm) for the convolution \(shape), which it cannot compute: tune again"
    case .otherKernels(let measured, let running):
      "the plan file was measured with the \(measured) kernels, but \(running) are to run: tune again with them"
    case .malformed(let place): "no plan file of ardf tune (\(place)); tune again"
    }
  }
}

extension MeasuredChoicesError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
