/// The overlays at hand: the least recently used one goes first, the active one never.
///
/// Every item that leaves the cache is handed to the eviction callback exactly once.
package struct OverlayCache<Key: Hashable & Sendable, Item> {
  /// The most items kept.
  package let capacity: Int
  /// The item that is shown now.
  package private(set) var active: Key?
  private var items: [Key: Item] = [:]
  /// Least recently used first.
  private var order: [Key] = []
  private let onEviction: (Key, Item) -> Void

  /// An empty cache.
  ///
  /// - Precondition: `capacity` is positive.
  package init(capacity: Int = 5, onEviction: @escaping (Key, Item) -> Void) {
    precondition(capacity > 0, "a cache holds at least one item")
    self.capacity = capacity
    self.onEviction = onEviction
  }

  /// How many items are kept.
  package var count: Int { order.count }
  /// The keys, least recently used first.
  package var keys: [Key] { order }

  /// Whether there is an item; not a use.
  package func contains(_ key: Key) -> Bool { items[key] != nil }

  /// The item under `key`, which now counts as used.
  package mutating func use(_ key: Key) -> Item? {
    guard let item = items[key] else { return nil }
    touch(key)
    return item
  }

  /// Adds an item as the most recently used; one that was under the key before is evicted.
  package mutating func insert(_ item: Item, for key: Key) {
    if let old = items.updateValue(item, forKey: key) { onEviction(key, old) }
    touch(key)
    while order.count > capacity, let victim = order.first(where: { $0 != active }) { evict(victim) }
  }

  /// Makes an item the active one, which also is a use, or none; false if there is no such item.
  @discardableResult
  package mutating func activate(_ key: Key?) -> Bool {
    if let key {
      guard items[key] != nil else { return false }
      touch(key)
    }
    active = key
    return true
  }

  /// Evicts one item, also the active one.
  package mutating func remove(_ key: Key) {
    if active == key { active = nil }
    evict(key)
  }

  /// Evicts everything but the active item, least recently used first.
  package mutating func removeInactive() {
    for key in order where key != active { evict(key) }
  }

  /// Evicts everything.
  package mutating func removeAll() {
    active = nil
    removeInactive()
  }

  private mutating func touch(_ key: Key) {
    order.removeAll { $0 == key }
    order.append(key)
  }

  private mutating func evict(_ key: Key) {
    guard let item = items.removeValue(forKey: key) else { return }
    order.removeAll { $0 == key }
    onEviction(key, item)
  }
}
