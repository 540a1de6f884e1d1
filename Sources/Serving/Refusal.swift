/// Why a request is not carried out.
package enum Refusal: Error, Equatable {
  case badRequest(String)
  case forbidden(String)
  case notFound
  case notAllowed
  case conflict(String)
  case tooLarge(limit: Int)
  case cannotProcess(String)
  /// A body of unknown length.
  case lengthRequired
  case headTooLarge
  case timeout
  /// All connections are taken.
  case busy

  var status: ResponseStatus {
    switch self {
    case .badRequest: .badRequest
    case .forbidden: .forbidden
    case .notFound: .notFound
    case .notAllowed: .notAllowed
    case .conflict: .conflict
    case .tooLarge: .tooLarge
    case .cannotProcess: .cannotProcess
    case .lengthRequired: .lengthRequired
    case .headTooLarge: .headTooLarge
    case .timeout: .timeout
    case .busy: .busy
    }
  }

  var message: String {
    switch self {
    case .badRequest(let text), .forbidden(let text), .conflict(let text), .cannotProcess(let text): text
    case .notFound: "there is nothing here"
    case .notAllowed: "this cannot be done here"
    case .tooLarge(let limit): "that is too large: at most \(limit) bytes are taken"
    case .lengthRequired: "say the body's length with Content-Length"
    case .headTooLarge:
      "the request's header is too large: at most \(RequestHead.mostBytes) bytes and \(RequestHead.mostFields) fields"
    case .timeout: "the request took too long to arrive"
    case .busy: "too many requests are being answered; try again"
    }
  }
}
