import Archives
import FileFormats
import Testing

/// Decompression by liblz4 and libzstd: frames that Python's `lz4` and `zstd` made of 100 times "ardf" and the numbers 0...15.
@Suite struct CompressionTests {
  private static let content = Array(String(repeating: "ardf", count: 100).utf8) + [UInt8](0..<16)
  private static let lz4: [UInt8] = [
    0x04, 0x22, 0x4d, 0x18, 0x6c, 0x40, 0xa0, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0x1b,
    0x00, 0x00, 0x00, 0x4f, 0x61, 0x72, 0x64, 0x66, 0x04, 0x00, 0xff, 0x7a, 0xf0, 0x01, 0x00, 0x01,
    0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x00, 0x00,
    0x00, 0x00, 0x1b, 0x17, 0x5f, 0x4a,
  ]
  private static let zstandard: [UInt8] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x60, 0xa0, 0x00, 0xdd, 0x00, 0x00, 0xa0, 0x61, 0x72, 0x64, 0x66, 0x00,
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x01,
    0x00, 0x89, 0xab, 0x8e, 0x08,
  ]

  private static func frame(_ compression: Compression) -> [UInt8] {
    switch compression {
    case .lz4: lz4
    case .zstandard: zstandard
    }
  }

  /// Those whose library is here.
  private static let present = Compression.allCases.filter { compression in
    do throws(CompressionError) {
      _ = try compression.decompress(FileBytes([]), size: 1)
    } catch .missingLibrary {
      return false
    } catch {
      return true
    }
    return true
  }

  @Test func librariesAreNamedWithTheirPackages() {
    for compression in Compression.allCases {
      let error = CompressionError.missingLibrary(compression, reason: "not there")
      #expect(error.fault == .unavailable)
      #expect(error.description.contains(compression.library))
      #expect(error.description.contains("Debian package \(compression.package)"))
    }
  }

  @Test(.enabled(if: !present.isEmpty, "neither liblz4-1 nor libzstd1 is installed"))
  func framesAreUndone() throws {
    for compression in Self.present {
      let found = try compression.decompress(FileBytes(Self.frame(compression)), size: Self.content.count)
      #expect(found == Self.content)
    }
    guard Self.present.contains(.zstandard) else { return }
    #expect(try Compression.statedSize(ofZstandard: FileBytes(Self.zstandard)) == Self.content.count)
    #expect(try Compression.statedSize(ofZstandard: FileBytes(Self.lz4)) == nil)
  }

  /// Any other size, an end that is missing and bytes that follow are defects.
  @Test(.enabled(if: !present.isEmpty, "neither liblz4-1 nor libzstd1 is installed"))
  func nothingElseIsUndone() {
    for compression in Self.present {
      let frame = Self.frame(compression)
      for size in [0, 1, Self.content.count - 1, Self.content.count + 1, 1 << 20] {
        #expect(throws: CompressionError.damaged(compression)) {
          _ = try compression.decompress(FileBytes(frame), size: size)
        }
      }
      for count in 0..<frame.count {
        #expect(throws: CompressionError.damaged(compression)) {
          _ = try compression.decompress(FileBytes(Array(frame[..<count])), size: Self.content.count)
        }
      }
      #expect(throws: CompressionError.damaged(compression)) {
        _ = try compression.decompress(FileBytes(frame + [1, 2, 3]), size: Self.content.count)
      }
    }
  }
}
