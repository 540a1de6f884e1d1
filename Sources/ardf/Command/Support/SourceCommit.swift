#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The commit of the checkout that this program was built in and still lies in.
enum SourceCommit {
  /// Forty hexadecimal digits; nil for a program that lies elsewhere, installed for example.
  static let current: String? = {
    guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    return at(program)
  }()

  /// The commit that is checked out in the nearest folder above `path` that is a checkout.
  static func at(_ path: String) -> String? {
    var folder = parent(path)
    while !folder.isEmpty {
      if FileManager.default.fileExists(atPath: "\(folder)/.git") { return head(of: "\(folder)/.git") }
      folder = parent(folder)
    }
    return nil
  }

  /// The commit of `HEAD`: its own, or that of its branch in a file or in `packed-refs`.
  private static func head(of git: String) -> String? {
    // In a linked worktree `.git` is a file that names the folder, which names the common one.
    let folder = text(git).flatMap { $0.hasPrefix("gitdir: ") ? String($0.dropFirst(8)) : nil } ?? git
    let common = text("\(folder)/commondir").map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" } ?? folder
    guard let head = text("\(folder)/HEAD") else { return nil }
    guard head.hasPrefix("ref: ") else { return commit(head) }
    let branch = head.dropFirst(5)
    if let found = text("\(common)/\(branch)") { return commit(found) }
    let packed = text("\(common)/packed-refs")?.split(separator: "\n").first { $0.hasSuffix(" \(branch)") }
    return packed.flatMap { commit(String($0.prefix(40))) }
  }

  private static func commit(_ text: String) -> String? {
    text.count == 40 && text.allSatisfy(\.isHexDigit) ? text : nil
  }

  private static func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    var text = String(decoding: data, as: UTF8.self)
    while text.last?.isNewline == true { text.removeLast() }
    return text
  }

  private static func parent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}
