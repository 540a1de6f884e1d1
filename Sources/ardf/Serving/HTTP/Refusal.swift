/// Why a request is not carried out.
package enum Refusal: Error, Equatable {
  case badRequest(String)
  case forbidden(String)
  case notFound
  /// As `notFound`, of something that has a name.
  case missing(String)
  /// Another method than those that the address takes.
  case notAllowed([String])
  case conflict(String)
  case tooLarge(limit: Int)
  /// A request that needs more memory than one may hold.
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
  /// There is more to do than can be done soon; another attempt makes sense after so many seconds.
  case overloaded(String, retryAfter: Int)
  /// It was not done in the time that the client gave.
  case deadline
  /// A request of HTTP/2, which gRPC is made of.
  case onlyHTTP1
  /// What is asked for failed here, by no fault of the client's.
  case failed(String)

  /// How the answer begins.
  package var status: ResponseStatus {
    switch self {
    case .badRequest: .badRequest
    case .forbidden: .forbidden
    case .notFound, .missing: .notFound
    case .notAllowed: .notAllowed
    case .conflict: .conflict
    case .tooLarge, .needsTooMuch: .tooLarge
    case .cannotProcess: .cannotProcess
    case .lengthRequired: .lengthRequired
    case .headTooLarge: .headTooLarge
    case .timeout: .timeout
    case .busy, .overloaded: .busy
    case .unauthorized: .unauthorized
    case .unsupportedMedia: .unsupportedMedia
    case .deadline: .deadline
    case .failed: .failed
    case .onlyHTTP1: .versionNotSupported
    }
  }

  /// Header fields of the answer.
  var fields: [String: String] {
    switch self {
    case .busy: ["Retry-After": "1"]
    case .overloaded(_, let seconds): ["Retry-After": "\(seconds)"]
    case .unauthorized: ["WWW-Authenticate": "Bearer"]
    case .notAllowed(let methods): ["Allow": methods.joined(separator: ", ")]
    default: [:]
    }
  }

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .badRequest(let text), .forbidden(let text), .conflict(let text), .cannotProcess(let text),

      .missing(let text), .unsupportedMedia(let text), .overloaded(let text, _), .failed(let text):
      text
    case .notFound: "no such path"
    case .notAllowed(let methods): "this address takes \(methods.joined(separator: " and ")) alone"
    case .tooLarge(let limit): "that is too large: at most \(limit) bytes are taken"
    case .needsTooMuch(let bytes, let limit):
      "the request needs \(bytes) bytes of memory, and may have \(limit): send a smaller picture or tensor, ask for fewer "
        + "outputs, or for outputs as bytes (binary_data_output)"
    case .lengthRequired: "say the body's length with Content-Length"
    case .headTooLarge:
      "the request's header is too large: at most \(RequestHead.mostBytes) bytes and \(RequestHead.mostFields) fields"
    case .timeout: "the request took too long to arrive"
    case .busy: "too many requests are being answered; try again"
    case .unauthorized: "send the server's token: Authorization: Bearer TOKEN"
    case .deadline: "the request's time was over before it was done"
    case .onlyHTTP1: Self.noGRPC
    }
  }

  /// The reason in a word, for counting.
  package var kind: String {
    switch self {
    case .badRequest: "bad_request"
    case .forbidden: "forbidden"
    case .notFound, .missing: "not_found"
    case .notAllowed: "not_allowed"
    case .conflict: "conflict"
    case .tooLarge, .needsTooMuch: "too_large"
    case .cannotProcess: "cannot_process"
    case .lengthRequired: "length_required"
    case .headTooLarge: "head_too_large"
    case .timeout: "slow_client"
    case .busy: "connections"
    case .unauthorized: "unauthorized"
    case .unsupportedMedia: "unsupported_media"
    case .overloaded: "overloaded"
    case .deadline: "deadline"
    case .failed: "failed"
    case .onlyHTTP1: "http2"
    }
  }

  /// The answer to clients of gRPC.
  static let noGRPC =
    "this server speaks HTTP/1.1 alone, neither HTTP/2 nor gRPC: ask for http://HOST:PORT/v2 with a client's HTTP "
    + "interface, such as tritonclient.http"
}
