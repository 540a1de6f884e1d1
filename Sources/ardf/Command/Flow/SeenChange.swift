import AppCore
import FileFormats
import Synchronization

/// Whether objects came or went since the last picture that was kept, of a stream whose pictures come in order.
///
/// At first there is nothing: the first picture with an object is the first that is kept, and one without any tells
/// that all have gone.
final class SeenChange: Sendable {
  private struct Seen: Equatable {
    /// How many of each class.
    var counts = NameTable<Int>()
    /// Identities, where objects have them: one that takes another's place is a change.
    var tracks: Set<Int> = []
  }

  private let last = Mutex(Seen())
  private let left = Mutex(0)

  /// Pictures that were left out because nothing came or went.
  var unchanged: Int { left.withLock { $0 } }

  /// Whether the objects of the next picture are others; it is then the one to compare with.
  func isNew(_ detections: [Detection]) -> Bool {
    var seen = Seen()
    for detection in detections {
      if let track = detection.track {
        seen.tracks.insert(track)
      } else {
        seen.counts[detection.className, default: 0] += 1
      }
    }
    return isNew(seen)
  }

  /// Whether the likeliest class of the next picture is another.
  func isNew(_ file: ClassesFile) -> Bool {
    isNew(Seen(counts: NameTable(file.classes.prefix(1).map { ($0.className, 1) })))
  }

  /// Whether what a network made of the next picture is news.
  func isNew(_ picture: DetectedPicture) -> Bool {
    switch picture.content {
    case .objects(let file, _): isNew(file.detections)
    case .classes(let file): isNew(file)
    }
  }

  private func isNew(_ seen: Seen) -> Bool {
    let isNew = last.withLock { last in
      defer { last = seen }
      return last != seen
    }
    if !isNew { left.withLock { $0 += 1 } }
    return isNew
  }
}
