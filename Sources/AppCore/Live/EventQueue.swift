/// Things to come, soonest first; things of the same time in the order of their ranks, then as they were added.
struct EventQueue<Event> {
  private struct Entry {
    let time: Duration
    let rank: Int
    let number: Int
    let event: Event

    static func precedes(_ a: Entry, _ b: Entry) -> Bool {
      (a.time, a.rank, a.number) < (b.time, b.rank, b.number)
    }
  }

  /// A binary heap.
  private var entries: [Entry] = []
  private var added = 0

  mutating func add(_ event: Event, at time: Duration, rank: Int) {
    entries.append(Entry(time: time, rank: rank, number: added, event: event))
    added += 1
    var child = entries.count - 1
    while child > 0, Entry.precedes(entries[child], entries[(child - 1) / 2]) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func next() -> (time: Duration, event: Event)? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    return (first.time, first.event)
  }

  private mutating func sink() {
    var parent = 0
    while 2 * parent + 1 < entries.count {
      var least = 2 * parent + 1
      if least + 1 < entries.count, Entry.precedes(entries[least + 1], entries[least]) { least += 1 }
      guard Entry.precedes(entries[least], entries[parent]) else { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
