import FlyingFox
import Foundation

extension HTTPRequest {
  /// The whole body, of at most `limit` bytes.
  func body(limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    if let count = bodySequence.count {
      guard count <= limit else { throw Refusal.tooLarge(limit: limit) }
      bytes.reserveCapacity(count)
    }
    for try await part in bodySequence {
      guard bytes.count + part.count <= limit else { throw Refusal.tooLarge(limit: limit) }
      bytes += part
    }
    return bytes
  }

  /// Reads what is left of a body that nobody wants, so that the answer arrives and the next request is found.
  func discardBody() async {
    do {
      var left = Self.discardLimit
      for try await part in bodySequence where left > 0 { left -= part.count }
    } catch {
      // The client is gone, or the body was read already.
    }
  }

  private static let discardLimit = 1 << 30

  /// The path's components, decoded.
  ///
  /// - Throws: `Refusal.badRequest` for a component that is no plain name: empty, `.`, `..`, hidden, or with a slash
  ///   or a control character.
  func components() throws(Refusal) -> [String] {
    var components: [String] = []
    for part in target.path().split(separator: "/") {
      guard let name = String(part).removingPercentEncoding, UploadName.isPlain(name) else {
        throw .badRequest("the address has a name that is not allowed")
      }
      components.append(name)
    }
    return components
  }
}
