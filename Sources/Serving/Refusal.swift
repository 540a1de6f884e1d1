import FileFormats
import FlyingFox
import Foundation

/// FlyingFox has a type of this name too.
typealias JSONValue = FileFormats.JSONValue

/// Why a request is not carried out.
enum Refusal: Error, Equatable {
  case badRequest(String)
  case forbidden(String)
  case notFound
  case notAllowed
  case conflict(String)
  case tooLarge(limit: Int)
  case cannotProcess(String)

  var status: HTTPStatusCode {
    switch self {
    case .badRequest: .badRequest
    case .forbidden: .forbidden
    case .notFound: .notFound
    case .notAllowed: .methodNotAllowed
    case .conflict: .conflict
    case .tooLarge: .payloadTooLarge
    case .cannotProcess: .unprocessableContent
    }
  }

  var message: String {
    switch self {
    case .badRequest(let text), .forbidden(let text), .conflict(let text), .cannotProcess(let text): text
    case .notFound: "there is nothing here"
    case .notAllowed: "this cannot be done here"
    case .tooLarge(let limit): "that is too large: at most \(limit) bytes are taken"
    }
  }
}

extension HTTPResponse {
  /// Headers of every answer: no other site may embed it, nothing outside it is loaded, nothing is kept.
  static let guarding: HTTPHeaders = [
    HTTPHeader("Content-Security-Policy"):
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
      + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    HTTPHeader("X-Content-Type-Options"): "nosniff", HTTPHeader("Referrer-Policy"): "no-referrer",
    HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
    HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin", .cacheControl: "no-store",
  ]

  static func answer(_ bytes: [UInt8], type: String, status: HTTPStatusCode = .ok) -> HTTPResponse {
    var headers = guarding
    headers[.contentType] = type
    return HTTPResponse(statusCode: status, headers: headers, body: Data(bytes))
  }

  static func answer(_ json: JSONValue, status: HTTPStatusCode = .ok) -> HTTPResponse {
    answer(Array(json.serialized().utf8), type: "application/json", status: status)
  }

  static func moved(to path: String) -> HTTPResponse {
    var headers = guarding
    headers[.location] = path
    return HTTPResponse(statusCode: .seeOther, headers: headers)
  }

  static func refused(_ refusal: Refusal) -> HTTPResponse {
    answer(["error": .string(refusal.message)], status: refusal.status)
  }
}
