import FileFormats

/// How an answer begins.
enum ResponseStatus: Int, Sendable {
  case ok = 200
  case seeOther = 303
  case badRequest = 400
  case forbidden = 403
  case notFound = 404
  case notAllowed = 405
  case timeout = 408
  case conflict = 409
  case lengthRequired = 411
  case tooLarge = 413
  case cannotProcess = 422
  case headTooLarge = 431
  case busy = 503

  var reason: String {
    switch self {
    case .ok: "OK"
    case .seeOther: "See Other"
    case .badRequest: "Bad Request"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .notAllowed: "Method Not Allowed"
    case .timeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .tooLarge: "Content Too Large"
    case .cannotProcess: "Unprocessable Content"
    case .headTooLarge: "Request Header Fields Too Large"
    case .busy: "Service Unavailable"
    }
  }
}

/// An answer to a request.
struct Response: Sendable {
  /// Of every answer: no other site may embed it, nothing outside it is loaded, nothing is kept.
  private static let guarding = [
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
      + "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
  ]

  let status: ResponseStatus
  private var fields = Self.guarding
  let body: [UInt8]

  private init(_ status: ResponseStatus, _ fields: [String: String], body: [UInt8]) {
    self.status = status
    self.body = body
    self.fields.merge(fields) { $1 }
  }

  static func answer(_ bytes: [UInt8], type: String, status: ResponseStatus = .ok) -> Response {
    Response(status, ["Content-Type": type], body: bytes)
  }

  static func answer(_ json: JSONValue, status: ResponseStatus = .ok) -> Response {
    answer(Array(json.serialized().utf8), type: "application/json", status: status)
  }

  static func moved(to path: String) -> Response { Response(.seeOther, ["Location": path], body: []) }

  static func refused(_ refusal: Refusal) -> Response {
    answer(["error": .string(refusal.message)], status: refusal.status)
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
