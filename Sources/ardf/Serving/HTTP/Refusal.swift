/// The reasons for which a request is refused.
package enum Refusal: Error, Equatable {
  case badRequest(String)
  case forbidden(String)
  case notFound
  /// Something named does not exist, as `notFound`.
  case missing(String)
  /// The address does not support the method.
  case notAllowed([String], remedy: String? = nil)
  case conflict(String)
  case tooLarge(limit: Int)
  /// The request needs more memory than one may hold.
  case needsTooMuch(bytes: Int, limit: Int)
  case cannotProcess(String)
  /// A body of unknown length.
  case lengthRequired
  case headTooLarge
  case timeout
  /// All connections are taken.
  case busy
  /// Without a token, or with a wrong one.
  case unauthorized
  case unsupportedMedia(String)
  /// The server is overloaded; the client may try again after this many seconds.
  case overloaded(String, retryAfter: Int)
  /// The client's deadline passed.
  case deadline
  /// A request in HTTP/2, as gRPC sends it.
  case onlyHTTP1
  /// The request failed here, by no fault of the client's.
  case failed(String)

  /// The status of the answer.
  package var status: ResponseStatus { row.status }
  /// The reason in one word, for metrics.
  package var kind: String { row.kind }
  /// The defect and its remedy.
  package var message: String { row.message }

  /// Header fields of the answer.
  var fields: [String: String] {
    switch self {
    case .busy: ["Retry-After": "1"]
    case .overloaded(_, let seconds): ["Retry-After": "\(seconds)"]
    case .unauthorized: ["WWW-Authenticate": "Bearer"]
    case .notAllowed(let methods, _): ["Allow": methods.joined(separator: ", ")]
    case .badRequest, .forbidden, .notFound, .missing, .conflict, .tooLarge, .needsTooMuch, .cannotProcess,
      .lengthRequired, .headTooLarge, .timeout, .unsupportedMedia, .deadline, .onlyHTTP1, .failed:
      [:]
    }
  }

  /// The answer to each refusal.
  private var row: (status: ResponseStatus, kind: String, message: String) {
    switch self {
    case .badRequest(let text): (.badRequest, "bad_request", text)
    case .forbidden(let text): (.forbidden, "forbidden", text)
    case .notFound: (.notFound, "not_found", "no such path")
    case .missing(let text): (.notFound, "not_found", text)
    case .notAllowed(let methods, let remedy):
      (
        .notAllowed, "not_allowed",
        "method not allowed; use \(methods.joined(separator: " or "))" + (remedy.map { "; \($0)" } ?? "")
      )
    case .conflict(let text): (.conflict, "conflict", text)
    case .tooLarge(let limit):
      (.tooLarge, "too_large", "that is too large: at most \(limit) bytes are taken")
    case .needsTooMuch(let bytes, let limit):
      (
        .tooLarge, "too_large",
        "the request needs \(bytes) bytes of memory, and may have \(limit): send a smaller picture or tensor, ask for fewer "
          + "outputs, or for outputs as bytes (binary_data_output)"
      )
    case .cannotProcess(let text): (.cannotProcess, "cannot_process", text)
    case .lengthRequired:
      (.lengthRequired, "length_required", "Content-Length header is required")
    case .headTooLarge:
      (
        .headTooLarge, "head_too_large",
        "the request's header is too large: at most \(RequestHead.mostBytes) bytes and \(RequestHead.mostFields) fields"
      )
    case .timeout: (.timeout, "slow_client", "the request took too long to arrive")
    case .busy: (.busy, "connections", "too many requests are being answered; try again")
    case .unauthorized:
      (.unauthorized, "unauthorized", "send the server's token: Authorization: Bearer TOKEN")
    case .unsupportedMedia(let text): (.unsupportedMedia, "unsupported_media", text)
    case .overloaded(let text, _): (.busy, "overloaded", text)
    case .deadline: (.deadline, "deadline", "the request's time was over before it was done")
    case .onlyHTTP1: (.versionNotSupported, "http2", Self.noGRPC)
    case .failed(let text): (.failed, "failed", text)
    }
  }

  /// The answer to clients of gRPC.
  static let noGRPC =
    "this server speaks HTTP/1.1 alone, neither HTTP/2 nor gRPC: ask for http://HOST:PORT/v2 with a client's HTTP "
    + "interface, such as tritonclient.http"
}
