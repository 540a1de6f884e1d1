import FileFormats

/// One frame of the native layout: its folder holds `frame.json`.
enum NativeFrame: CaptureFormat {
  static let marks = "\(NativeCapture.frameFile) (native)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.contains(NativeCapture.frameFile)
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> NativeCapture {
    try NativeCapture(single: folder)
  }
}

/// Numbered frames of the native layout side by side.
enum NativeFrames: CaptureFormat {
  static let marks = "NNNNNN.json (native)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    !names.sorted.metadataNumbers().isEmpty
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> NativeCapture {
    try NativeCapture(
      sequence: folder, metadata: folder.names().metadataNumbers().map { ($0, "\($0).json") })
  }
}
