import NNKernelInterface

/// A kernel's declaration, for people.
package struct KernelListing: Sendable {
  /// With its catalogue: `avx512/winograd-f6x6-f32`.
  package var name: String
  /// The shapes of its operation: `3x3, stride 1, padding 1, channels in 16s`.
  package var computes: String
  /// Element types of its factors and maps.
  package var products: String
  package var maps: [String]
  /// Prologues and epilogues that it can fuse.
  package var fuses: [String]
  /// Rows and columns of its register tile; of attention, the queries of an item; else nil.
  package var block: [Int]
  /// The largest error of its sums, relative to what was added up.
  package var tolerance: Double
  /// Groups of instructions that it needs.
  package var needs: [String]
}

extension Backend {
  /// All kernels that the backend has here, in the order in which they are asked.
  package func kernels() throws(PlanError) -> [KernelListing] {
    let catalogue = try catalogue()
    return catalogue.convolutions.map(KernelListing.init) + catalogue.listings
  }
}

extension KernelListing {
  fileprivate init(_ kernel: ConvolutionKernel) {
    name = kernel.fullName
    computes = kernel.domain.text
    products = kernel.products.name
    maps = kernel.maps.names
    fuses = kernel.prologues.names + kernel.epilogues.names
    block = [kernel.block.rows, kernel.block.columns]
    tolerance = kernel.tolerance.sums
    needs = kernel.needs.names
  }

  init<Task>(_ kernel: Kernel<Task>, computes: String) {
    name = kernel.fullName
    self.computes = computes
    products = kernel.products.name
    maps = kernel.maps.names
    fuses = []
    block = kernel.together > 1 ? [kernel.together] : []
    tolerance = kernel.tolerance.sums
    needs = kernel.needs.names
  }
}

extension ConvolutionDomain {
  fileprivate var text: String {
    let window =
      switch self.window {
      case .pixel: "1x1"
      case .area: "all but 1x1"
      case .square(let edge): "\(edge)x\(edge)"
      }
    let parts = [
      kind == .subpixel ? "subpixels of \(window)" : window, stride.map { "stride \($0)" },
      padding.map { "padding \($0)" }, channels > 1 ? "channels in \(channels)s" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension MapElements {
  fileprivate var names: [String] {
    ElementType.allCases.filter { contains(MapElements($0)) }.map(\.name)
  }
}
