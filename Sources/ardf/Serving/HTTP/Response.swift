import FileFormats

/// The status of an answer.
package enum ResponseStatus: Int, Sendable {
  case ok = 200
  case seeOther = 303
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case notAllowed = 405
  case timeout = 408
  case conflict = 409
  case lengthRequired = 411
  case tooLarge = 413
  case unsupportedMedia = 415
  case cannotProcess = 422
  case headTooLarge = 431
  case failed = 500
  case busy = 503
  case deadline = 504
  case versionNotSupported = 505

  var reason: String {
    switch self {
    case .ok: "OK"
    case .seeOther: "See Other"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .notAllowed: "Method Not Allowed"
    case .timeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .tooLarge: "Content Too Large"
    case .unsupportedMedia: "Unsupported Media Type"
    case .cannotProcess: "Unprocessable Content"
    case .headTooLarge: "Request Header Fields Too Large"
    case .failed: "Internal Server Error"
    case .busy: "Service Unavailable"
    case .deadline: "Gateway Timeout"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}

/// An answer to a request.
package struct Response: Sendable {
  /// The header fields of every answer: browsers run no code in it, load nothing from outside, and store nothing.
  private static let guarding = [
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
  ]

  /// The status.
  package let status: ResponseStatus
  private var fields = Self.guarding
  /// The body.
  package let body: [UInt8]

  /// An answer with header fields of its own, which override those of every answer.
  package init(_ status: ResponseStatus, fields: [String: String], body: [UInt8]) {
    self.status = status
    self.body = body
    self.fields.merge(fields) { $1 }
  }

  /// An answer with bytes of a media type.
  package static func answer(
    _ bytes: [UInt8], type: String, status: ResponseStatus = .ok, fields: [String: String] = [:]
  ) -> Response {
    Response(status, fields: fields.merging(["Content-Type": type]) { $1 }, body: bytes)
  }

  /// An answer with JSON.
  package static func answer(_ json: JSONValue, status: ResponseStatus = .ok, fields: [String: String] = [:])
    -> Response
  {
    answer(Array(json.serialized().utf8), type: "application/json", status: status, fields: fields)
  }

  /// A redirect.
  package static func moved(to path: String) -> Response {
    Response(.seeOther, fields: ["Location": path], body: [])
  }

  /// The answer to a refused request, with the reason.
  ///
  /// - `members`: further members of the answer's JSON.
  package static func refused(_ refusal: Refusal, with members: [String: JSONValue] = [:]) -> Response {
    answer(
      .object(members.merging(["error": .string(refusal.message)]) { $1 }), status: refusal.status,
      fields: refusal.fields)
  }

  /// The status line and the header fields.
  func head(keepsAlive: Bool) -> [UInt8] {
    let ownFields = ["Content-Length": "\(body.count)", "Connection": keepsAlive ? "keep-alive" : "close"]
    let lines = fields.merging(ownFields) { $1 }.sorted { $0.key < $1.key }.map {
      "\($0.key): \($0.value)\r\n"
    }
    return Array("HTTP/1.1 \(status.rawValue) \(status.reason)\r\n\(lines.joined())\r\n".utf8)
  }
}
