import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// The size of the pictures that checkpoints were trained on, as they say.
@Suite struct TrainingSideTests {
  private static func checkpoint(_ imgsz: [UInt8]) -> FileBytes {
    let network = PickledNetwork(yolo: YOLOArchitecture(.n, .v11, .detect, classCount: 3))
    return FileBytes(
      network.checkpoint(beside: [("train_args", Pickle.dictionary([("imgsz", imgsz)]))]))
  }

  @Test(arguments: [
    (Pickle.integer(320), 320), (Pickle.double(320), 320), (Pickle.text("320"), 320),
    (Pickle.integers([320, 480]), 480), (Pickle.integers([640, 320]), 640), (Pickle.text("[320, 480]"), 480),
    (Pickle.integers([480]), 480),
  ])
  func whatHasOneMeaningIsTaken(imgsz: [UInt8], side: Int) throws {
    let bytes = Self.checkpoint(imgsz)
    let checkpoint = try CheckpointConverter.read(bytes, file: "best.pt")
    #expect(checkpoint.metadata["imgsz"] == "\(side)" && checkpoint.remarks.isEmpty, "\(checkpoint.remarks)")
    #expect(try CheckpointDescription(bytes, file: "best.pt").trainingSize == side)
  }

  @Test(
    arguments: [
      (Pickle.integer(0), "at 0 ", nil), (Pickle.integer(-1), "at -1 ", nil),
      (Pickle.integer(33), "at 33 ", 33),
      (Pickle.integer(1000), "at 1000 ", 1000), (Pickle.double(320.5), "at 320.5 ", nil),
      (Pickle.text("big"), "at big ", nil), (Pickle.integers([1, 2, 3]), "at [1, 2, 3] ", nil),
      (Pickle.integers([320, 0]), "at [320, 0] ", nil),
    ] as [([UInt8], String, Int?)])
  func anythingElseIsSaid(imgsz: [UInt8], text: String, shown: Int?) throws {
    let bytes = Self.checkpoint(imgsz)
    let checkpoint = try CheckpointConverter.read(bytes, file: "best.pt")
    #expect(checkpoint.metadata["imgsz"] == nil)
    #expect(checkpoint.remarks.contains { $0.contains(text) && $0.contains("not used") })
    #expect(try CheckpointDescription(bytes, file: "best.pt").trainingSize == shown)
  }

  @Test func nothingSaidIsNothingToRemark() throws {
    #expect(try CheckpointConverter.read(Self.checkpoint([0x4e]), file: "best.pt").remarks.isEmpty)
  }

  /// A converted file that was changed.
  @Test(arguments: ["0", "33", "[]", "x"]) func aWeightFileSaysSoToo(text: String) throws {
    let sound = try CheckpointConverter.read(Self.checkpoint(Pickle.integer(320)), file: "best.pt")
    let metadata = sound.metadata.merging(["imgsz": text]) { $1 }
    let place = try TemporaryDirectory()
    let file = place.file("a.safetensors")
    try SafetensorsWriter.write(sound.tensors, metadata: metadata, to: file, overwrite: false)
    #expect(try CheckpointConverter.read(file).remarks.contains { $0.contains("not used") })
    let store = WeightStore(tensors: sound.tensors, metadata: metadata)
    #expect(TrainingSide.remark(of: store)?.contains(text) == true)
    #expect(TrainingSide.remark(of: WeightStore(tensors: sound.tensors, metadata: sound.metadata)) == nil)
    #expect(YOLOFamily.trainedSide(of: store) == ObjectInput.usualSide)
  }
}
