import AppCore

/// A cache of the files opened for one capture, whose frames come one after the other.
struct OncePerSource<Opened> {
  private var last: (path: String, opened: Opened)?

  /// The opened files of a capture.
  mutating func of(_ source: any CaptureSource, open: (any CaptureSource) throws -> Opened) rethrows -> Opened
  {
    if let last, last.path == source.path { return last.opened }
    let opened = try open(source)
    last = (source.path, opened)
    return opened
  }
}
