import FileFormats

/// A layout of folders that hold one capture: how it is recognized and opened.
///
/// A format is a file of its own, a case of `CaptureLayout` that says what it stores, and a row of `CaptureFormats.all`.
protocol CaptureFormat {
  associatedtype Source: CaptureSource

  /// The file names by which it is recognized, for people.
  static var marks: String { get }
  /// Whether a folder with files and folders of these names is of this layout.
  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool
  /// The capture in a folder of this layout.
  static func open(_ folder: CaptureFolder) throws(CaptureError) -> Source
}

/// The formats that are read.
package enum CaptureFormats {
  /// All formats; a folder is of the first that recognizes it.
  static var all: [any CaptureFormat.Type] {
    [
      NativeFrame.self, RecordedClip.self, TransformsFile.self, StrayScannerFolder.self, TUMSequence.self,
      PolycamFolder.self, Record3DCapture.self, ARKitScenesFolder.self, ARKitUpsamplingFolder.self,
      CA1MFolder.self, BagFolder.self, RTABMapExport.self, Record3DExport.self, RedwoodSequence.self,
      ClipFolder.self,
      ScannerAppExport.self, NativeFrames.self,
    ]
  }

  /// The format of a folder with files and folders of these names; nil of one that is not a capture by itself.
  static func format(of folder: CaptureFolder, _ names: [String]) -> (any CaptureFormat.Type)? {
    let present = NameSet(names)
    return all.first { $0.recognizes(folder, names: present) }
  }

  /// The file names by which captures are recognized, for people.
  package static var marks: String { all.map { $0.marks }.joined(separator: ", ") }
}

extension Sequence<String> {
  /// The numbers in the names of metadata files, without `prefix` and `.json`, as text.
  func metadataNumbers(prefix: String = "") -> [String] {
    filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }
      .map { String($0.dropFirst(prefix.count).dropLast(".json".count)) }
      .filter { !$0.isEmpty && $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
  }
}
