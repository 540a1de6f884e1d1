import Geometry
import Imaging
import Synchronization

/// Something that keeps data for the loop and counts its bytes.
///
/// The count follows from what is kept alone, so that the same frames give the same numbers on every machine.
public protocol MemoryHolder: Sendable {
  /// Bytes kept now.
  func heldBytes() async -> Int
}

/// The bytes of the frames that a loop holds.
final class HeldFrames: Sendable {
  private let total = Mutex(0)

  /// Bytes of all frames held now.
  var bytes: Int { total.withLock { $0 } }

  /// Counts a frame until the last part of the loop lets go of it.
  func hold(_ frame: CapturedFrame) -> HeldFrame { HeldFrame(frame, account: self) }

  fileprivate func add(_ bytes: Int) { total.withLock { $0 += bytes } }
}

/// A frame that counts as held as long as this lives, however many parts of the loop share it.
final class HeldFrame: Sendable {
  let frame: CapturedFrame
  private let account: HeldFrames

  fileprivate init(_ frame: CapturedFrame, account: HeldFrames) {
    self.frame = frame
    self.account = account
    account.add(frame.heldBytes)
  }

  deinit { account.add(-frame.heldBytes) }
}

extension CapturedFrame {
  /// Bytes of the picture, the depth and its confidence.
  public var heldBytes: Int {
    (image?.pixels.count ?? 0) + (depth?.elements.count ?? 0) * MemoryLayout<Float>.stride
      + (confidence?.elements.count ?? 0)
  }
}

extension ObjectExtent {
  /// Bytes of the object's points.
  var heldBytes: Int { cloud.count * MemoryLayout<Point3<World>>.stride }
}

extension StagedEffect {
  /// Bytes of the points that the effect shows.
  var heldBytes: Int { cloud.count * MemoryLayout<Point3<World>>.stride }
}
