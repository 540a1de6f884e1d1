import FileFormats

/// Ways of compressing that libraries of the distribution undo, which are opened at run time.
package enum Compression: String, Sendable, CaseIterable {
  /// Frames of LZ4.
  case lz4 = "LZ4"
  /// Frames of Zstandard.
  case zstandard = "Zstandard"

  /// The library's file name, by which the loader finds it.
  package var library: String {
    switch self {
    case .lz4: "liblz4.so.1"
    case .zstandard: "libzstd.so.1"
    }
  }

  /// The Debian package that holds the library.
  package var package: String {
    switch self {
    case .lz4: "liblz4-1"
    case .zstandard: "libzstd1"
    }
  }

  /// The bytes that `compressed` stands for.
  ///
  /// - Parameters:
  ///   - compressed: One frame, or several one after the other.
  ///   - size: How many bytes they give, which the caller has bounded: no more is allocated.
  /// - Returns: The bytes, `size` of them.
  /// - Throws: `CompressionError`.
  package func decompress(_ compressed: FileBytes, size: Int) throws(CompressionError) -> [UInt8] {
    switch self {
    case .lz4: try LibLZ4.shared().decompress(compressed, size: size)
    case .zstandard: try LibZstd.shared().decompress(compressed, size: size)
    }
  }

  /// How many bytes a frame of Zstandard says that it gives; nil where it does not say so.
  ///
  /// - Throws: `CompressionError`.
  package static func statedSize(ofZstandard frame: FileBytes) throws(CompressionError) -> Int? {
    try LibZstd.shared().statedSize(of: frame)
  }
}

/// Why compressed bytes cannot be decompressed.
package enum CompressionError: Error, Equatable, CustomStringConvertible {
  /// The library is not there.
  case missingLibrary(Compression, reason: String)
  /// The bytes are no whole frames, or give another number of bytes than they should.
  case damaged(Compression)

  /// One line that names the defect and the remedy.
  package var description: String {
    switch self {
    case .missingLibrary(let compression, let reason):
      "what is compressed by \(compression.rawValue) needs \(compression.library) (\(reason)): install the Debian "
        + "package \(compression.package)"
    case .damaged(let compression): "damaged \(compression.rawValue) data"
    }
  }
}

extension CompressionError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .missingLibrary: .unavailable
    case .damaged: .malformedInput
    }
  }
}
