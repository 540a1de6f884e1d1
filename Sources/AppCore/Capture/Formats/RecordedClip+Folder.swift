import FileFormats

extension RecordedClip: CaptureFormat {
  static let marks = "\(indexFile) with \(messagesFile)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.isSuperset(of: [indexFile, messagesFile])
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> RecordedClip {
    let (index, messages) = (indexFile, messagesFile)
    let located = try folder.location(of: messages, namedBy: index, limit: folder.limits.clipBytes)
    let data: FileBytes
    do {
      data = try FileBytes(path: located)
    } catch {
      throw CaptureError(error, of: messages)
    }
    return try RecordedClip(
      path: folder.path,
      index: FileBytes(try folder.bytes(index, namedBy: index, limit: folder.limits.indexBytes)),
      messageBytes: data.count, limits: folder.limits
    ) { data }
  }
}
