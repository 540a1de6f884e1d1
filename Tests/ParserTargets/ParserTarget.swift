import FoundationEssentials

/// A parser that strangers' bytes are thrown at: it accepts or refuses them, and does nothing else.
public struct ParserTarget: Sendable {
  /// The result of parsing some bytes.
  public enum ParseOutcome: Sendable, Equatable {
    /// They were read.
    case accepted
    /// They were refused with this message.
    case refused(String)
  }

  /// The name, which is also the folder of its corpus.
  public let name: String
  /// Whether an input costs system calls, so that a run takes fewer of them.
  public let usesFiles: Bool
  /// Whether its seeds are whole; no checkpoint of a network is small enough for a seed.
  public let acceptsSeeds: Bool

  private let root: String
  private let corpus: String
  private let body: @Sendable ([UInt8]) throws -> Void

  /// A target whose corpus is a folder of `Fuzz/Corpus`.
  init(_ name: String, acceptsSeeds: Bool = true, _ body: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.init(name, corpus: "Corpus/\(name)", usesFiles: false, acceptsSeeds: acceptsSeeds, body)
  }

  init(
    _ name: String, corpus: String, usesFiles: Bool, acceptsSeeds: Bool = true,
    _ body: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.usesFiles = usesFiles
    self.acceptsSeeds = acceptsSeeds
    self.body = body
    self.corpus = corpus
    root = Self.fuzzFolder
  }

  /// The folder `Fuzz` of the package.
  static let fuzzFolder: String = {
    // This file is Tests/ParserTargets/ParserTarget.swift.
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    return (parts + ["Fuzz"]).joined(separator: "/")
  }()

  /// Gives the parser some bytes.
  public func callAsFunction(_ bytes: [UInt8]) -> ParseOutcome {
    do {
      try body(bytes)
      return .accepted
    } catch {
      return .refused("\(error)")
    }
  }

  /// The files that it starts from, by name; folders hold one per file.
  public func seeds() throws -> [(name: String, bytes: [UInt8])] {
    let path = "\(root)/\(corpus)"
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return [] }
    let names = isFolder ? try FileManager.default.contentsOfDirectory(atPath: path).sorted() : [""]
    return try names.map { name in
      (name, [UInt8](try Data(contentsOf: URL(filePath: isFolder ? "\(path)/\(name)" : path))))
    }
  }

  /// All targets, the fast ones first.
  public static let all: [ParserTarget] = formats + documents + networks + jobs + captures

  /// The target of that name.
  public static func named(_ name: String) -> ParserTarget? { all.first { $0.name == name } }
}
