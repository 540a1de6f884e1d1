/// The effects that a user has chosen and that are placed together on leaving the results.
public struct EffectQueue: Sendable {
  /// One choice.
  public struct Entry: Sendable {
    /// The effect.
    public let type: EffectType
    /// The object that it goes to.
    public let object: ObjectExtent
  }

  /// The choices in the order in which they were made; an object may occur several times.
  public private(set) var entries: [Entry] = []

  /// An empty queue.
  public init() {}

  /// Adds a choice at the end.
  ///
  /// - Throws: `PlacementError.noExtent` for an object without a place.
  public mutating func enqueue(_ type: EffectType, on object: ObjectExtent) throws(PlacementError) {
    guard object.box3D != nil else { throw .noExtent(objectId: object.id, type) }
    entries.append(Entry(type: type, object: object))
  }

  /// Takes back the choice at `index`.
  @discardableResult
  public mutating func remove(at index: Int) -> Entry { entries.remove(at: index) }

  /// Takes back all choices.
  public mutating func removeAll() { entries.removeAll() }

  /// Places everything, first chosen first, and leaves the queue empty; what cannot be placed is reported.
  public mutating func placeAll() -> (placed: [PlacedEffect], refused: [PlacementError]) {
    var placed: [PlacedEffect] = []
    var refused: [PlacementError] = []
    for entry in entries {
      do throws(PlacementError) {
        placed.append(try PlacedEffect(entry.type, on: entry.object))
      } catch {
        refused.append(error)
      }
    }
    entries.removeAll()
    return (placed, refused)
  }
}
