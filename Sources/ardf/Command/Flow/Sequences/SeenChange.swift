import AppCore
import FileFormats
import Synchronization

/// A filter of a stream's pictures, in order: keeps those whose objects changed since the last kept picture.
///
/// It starts without objects: the first kept picture is the first with an object. A kept picture without objects means
/// that all disappeared.
final class SeenChange: Sendable {
  private struct Seen: Equatable {
    /// The number of objects of each class.
    var counts = NameTable<Int>()
    /// The ids of tracked objects: another id is a change, even at an equal count.
    var tracks: Set<Int> = []
  }

  private let last = Mutex(Seen())
  private let left = Mutex(0)

  /// The number of pictures left out because nothing changed.
  var unchanged: Int { left.withLock { $0 } }

  /// Whether the objects of the next picture changed; the next comparison is then with this picture.
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

  /// Whether the likeliest class of the next picture changed.
  func isNew(_ file: ClassesFile) -> Bool {
    isNew(Seen(counts: NameTable(file.classes.prefix(1).map { ($0.className, 1) })))
  }

  /// Whether a network's results for the next picture changed.
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
