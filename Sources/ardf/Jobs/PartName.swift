import FileFormats

/// The name of a file of a shard: `part-00007-of-00100.jsonl`, or of one written once and never again
/// `part-00007-of-00100.3f1c0a9be27d5486.jsonl`, with the first digits of its SHA-256.
package struct PartName: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// Records.
    case part
    /// The event log, for people and `ardf status`; no result.
    case events
  }

  static let digits = 16

  package let kind: Kind
  package let shard: Shard
  /// Digest of the file's bytes, where the name holds it.
  package let digest: String?

  package init(_ kind: Kind, of shard: Shard, digest: String? = nil) {
    self.kind = kind
    self.shard = shard
    self.digest = digest.map { String($0.prefix(Self.digits)) }
  }

  package var description: String {
    "\(kind.rawValue)-\(zeroPadded(shard.number, 5))-of-\(zeroPadded(shard.count, 5))"
      + (digest.map { ".\($0)" } ?? "") + ".jsonl"
  }

  /// The name as it is; nil for any other file's.
  package init?(_ name: String) {
    let fields = name.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.last == "jsonl", (2...3).contains(fields.count) else { return nil }
    let words = fields[0].split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 4, let kind = Kind(rawValue: String(words[0])), words[2] == "of",
      let number = integer(of: words[1], in: 1...Shard.most),
      let count = integer(of: words[3], in: 1...Shard.most),
      let shard = Shard(number: number, of: count)
    else { return nil }
    self.init(kind, of: shard, digest: fields.count == 3 ? String(fields[1]) : nil)
    guard description == name else { return nil }
  }

  /// The names of a kind in a folder, in the shards' order.
  package static func names(of kind: Kind, among names: [String]) -> [PartName] {
    names.compactMap(PartName.init).filter { $0.kind == kind }.sorted {
      ($0.shard.count, $0.shard.number, $0.digest ?? "") < ($1.shard.count, $1.shard.number, $1.digest ?? "")
    }
  }
}
