import Archives
import FileFormats
import Imaging
import Models
import NNRuntime
import HTTPServing

/// Pictures of a fuzzer stay small: time goes into structure, not into pixels.
private let smallPictures = ImageLimits(maxPixels: 1 << 16, maxFileBytes: 1 << 20)

extension ParserTarget {
  /// Binary formats, read from memory.
  static let formats: [ParserTarget] = [
    ParserTarget("safetensors") { bytes in
      let store = try WeightStore(bytes: bytes, file: "w", allowNonFinite: true)
      for name in store.names { _ = try store.tensor(named: name).floats() }
    },
    ParserTarget("npy") { bytes in
      let array = try NPYArray.read(bytes: bytes)
      precondition(array.floats().count == array.shape.reduce(1, *), "elements and shape differ")
    },
    ParserTarget("npz") { bytes in
      let archive = try NPZArchive(bytes: bytes)
      for name in archive.names { _ = try archive.array(named: name) }
    },
    ParserTarget("zip") { bytes in
      let limits = ZipArchive.Limits(members: 1000, memberBytes: 1 << 20)
      let archive = try ZipArchive(FileBytes(bytes), limits: limits)
      for member in archive.members {
        let count = try archive.contents(of: member).count
        precondition(count == member.size, "a member of another size")
      }
    },
    ParserTarget("checkpoint", acceptsSeeds: false) {
      _ = try CheckpointConverter.read(FileBytes($0), file: "c")
    },
    // The archive around it is sound, so that the pickle itself is what is tried.
    ParserTarget("pickle", acceptsSeeds: false) { bytes in
      let archive = ZipWriter.archive([
        (name: "c/data.pkl", bytes: bytes), (name: "c/data/0", bytes: [0, 0x3c, 0, 0x40]),
      ])
      _ = try CheckpointConverter.read(FileBytes(archive), file: "c")
    },
    ParserTarget("png") { bytes in
      _ = try ImageCodec.decode(bytes, limits: smallPictures)
      _ = try ImageCodec.decodeRGBA(bytes, limits: smallPictures)
    },
    ParserTarget("png-gray16") { _ = try ImageCodec.decodeGray16($0, limits: smallPictures) },
    ParserTarget("png-gray8") { _ = try ImageCodec.decodeGray8($0, limits: smallPictures) },
    ParserTarget("jpeg") { _ = try ImageCodec.decode($0, limits: smallPictures).upright() },
    ParserTarget("request") { _ = try RequestHead($0) },
    ParserTarget("run-lengths") { bytes in
      let side = Int(bytes.first ?? 0)
      let mask = try RunLengthMask(
        height: side, width: side, counts: String(decoding: bytes.dropFirst(), as: UTF8.self))
      precondition(mask.mask.count == side * side, "a mask of another size")
      let again = try RunLengthMask(height: side, width: side, counts: mask.counts)
      precondition(again == mask, "a mask that does not come back")
    },
  ]
}
