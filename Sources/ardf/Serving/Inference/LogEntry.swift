import FileFormats
import HTTPServing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Entry of a request in the access log.
struct LogEntry {
  private let method: String
  private let path: String
  private let peer: String
  private let bytes: Int
  var model: String?
  var id: String?
  var error: String?

  init(_ request: Request) {
    method = request.head.method
    path = "/" + request.head.path.joined(separator: "/")
    bytes = request.head.bodyBytes
    peer = request.peer
  }

  func json(_ response: Response, took duration: Duration) -> JSONValue {
    var members: [String: JSONValue] = [
      "time": .string(Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))),
      "client": .string(peer), "method": .string(method), "path": .string(path),
      "status": .integer(response.status.rawValue), "bytesIn": .integer(bytes),
      "bytesOut": .integer(response.body.count),
      "seconds": .rounded(duration / .seconds(1), decimals: 6),
    ]
    if let model { members["model"] = .string(model) }
    if let id { members["id"] = .string(String(id.prefix(200))) }
    if let error { members["error"] = .string(error) }
    return .object(members)
  }
}
