import FileFormats
import Imaging

/// Limits on what a capture may ask of the machine.
public struct CaptureLimits: Sendable {
  /// Frames of a sequence.
  public var frames = 100_000
  /// Bytes of one JSON file.
  public var metadataBytes = 1 << 20
  /// Bytes of one file that lists a whole sequence.
  public var indexBytes = 32 << 20
  /// Fields of one text file that lists a whole sequence, a line counting as seven more.
  public var indexFields = 2_500_000
  /// Bytes of one picture, depth or confidence file.
  public var frameFileBytes = 256 << 20
  /// Bytes of a recorded clip's data.
  public var clipBytes = 8 << 30
  /// Bytes of a recorded clip's data that are unpacked from an archive into memory, however large the archive is.
  public var archivedClipBytes = 1 << 30
  /// How many times its compressed bytes such data may have, beyond `smallClipBytes`: pictures hardly shrink.
  public var archivedClipRatio = 16
  /// Bytes of a recorded clip's data that may always be unpacked, however small their compressed form.
  public var smallClipBytes = 32 << 20
  /// Pixels of a picture.
  public var pixels = ImageLimits.default.maxPixels
  /// Cells of a depth grid.
  public var depthCells = 16 << 20

  /// The defaults.
  public init() {}

  /// The most bytes that a clip's data may unpack to from `count` compressed ones.
  func unpackedClipBytes(from count: Int) -> Int {
    min(archivedClipBytes, smallClipBytes + archivedClipRatio * count)
  }

  /// Limits of JSON of an index's size.
  var json: JSONLimits { JSONLimits(bytes: indexBytes) }
}
