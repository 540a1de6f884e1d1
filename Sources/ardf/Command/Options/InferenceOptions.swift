import ArgumentParser
import FileFormats
import HTTPServing
import InferenceServing
import NNRuntime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ListeningAddress {
  /// Reads an address of an option.
  ///
  /// - Throws: `ValidationError`.
  fileprivate static func option(_ text: String) throws -> ListeningAddress {
    if let address = ListeningAddress(text) { return address }
    let scheme = text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() }
    let defect =
      switch scheme {
      case nil: "that is not an address in digits with a port"
      case "http": "an address has no http:// before it"
      default: "only HTTP/1.1 is spoken here, neither gRPC nor TLS"
      }
    throw ValidationError(
      "\(defect); give one such as 127.0.0.1:8000, or 0.0.0.0:8000 for all of this machine's")
  }
}

/// How the access log is written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  case none, json
}

/// How `ardf serve --models` listens and what requests may cost.
struct InferenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Serve these networks to clients of the Open Inference Protocol (KServe V2, Triton), and detect, depth and measure \
      beside them: files, or names such as yolo11n-seg; NAME=FILE gives one a name of its own. Repeatable.
      """, valueName: "yolo11n-seg,depth.safetensors"))
  var models: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Address to listen on. On another address than loopback (0.0.0.0:8765 for all) the page opens only with a \
      token, which is part of the printed address and of its QR code; with --models such an address needs \
      --token-file or --no-auth. By default 127.0.0.1:8765, with --models 127.0.0.1:8000.
      """, valueName: "address:port"), transform: ListeningAddress.option)
  var listen: ListeningAddress?

  @Flag(
    help: """
      With --models: answer DeepStack's API too (POST /v1/vision/detection), which programs for home cameras such as \
      Frigate, Home Assistant and Blue Iris speak; api_key is the token.
      """)
  var deepstack = false

  @Option(help: "Requests computed at the same time; they share the threads.")
  var workers = 1

  @Option(help: "Most requests that wait; further ones are answered 503.")
  var maxQueue = 64

  @Option(
    help: ArgumentHelp(
      """
      A file with one line, the token, which clients send as Authorization: Bearer; health checks need none. For the \
      page: the token in its address (letters, digits, - and _), instead of a new one at each start.
      """,
      valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Answer every client that reaches the address, without a token.")
  var noAuth = false

  @Option(
    help: """
      Most seconds for a request's body to arrive, from its head to the answer, and for the client to read the \
      answer; a request may ask for less.
      """)
  var timeout = 60.0

  @Option(help: "Bytes of a request's body, at most.")
  var maxBody = LimitAmount(64 << 20)

  @Option(
    help: ArgumentHelp(
      """
      Most memory of all requests together: bodies, decoded pictures, masks, tensors and answers, without the \
      networks' own; one request may hold three quarters. A request that does not fit is refused at once: 413 if it \
      never can, 503 while others hold the memory. By default 1G, eight bodies if that is more, or half of what \
      ulimit -v or the container leaves.
      """, valueName: "bytes"))
  var maxMemory: LimitAmount?

  @Option(help: "Most open connections.")
  var maxConnections = 256

  @Option(help: "json: a line for each request on standard error.")
  var log = LogFormat.none

  func validate() throws {
    for (name, value, range) in [
      ("--workers", workers, 1...64), ("--max-queue", maxQueue, 0...10_000),
      ("--max-connections", maxConnections, 1...10_000),
    ] where !range.contains(value) {
      throw ValidationError("\(name) \(value): give a number from \(range.lowerBound) to \(range.upperBound)")
    }
    guard timeout.isFinite, timeout > 0, timeout <= 86_400 else {
      throw ValidationError("--timeout \(timeout): give seconds, more than 0 and at most 86400")
    }
    guard tokenFile == nil || !noAuth else {
      throw ValidationError("--token-file and --no-auth contradict each other; give one of them")
    }
    guard !models.isEmpty || tokenFile == nil || listen?.isLoopback == false else {
      throw ValidationError(
        "--token-file without --listen on another address than loopback goes with --models; the page is for this machine, "
          + "or for who has its token")
    }
  }

  /// The address to listen on; other than loopback only with a token or --no-auth.
  func address() throws -> ListeningAddress {
    let address = listen ?? .loopback(8000)
    guard address.isLoopback || tokenFile != nil || noAuth else {
      throw CommandError.usage(
        "--listen \(address): every machine that reaches it could use the models; give --token-file FILE to ask "
          + "clients for a token, or --no-auth where a network or proxy decides who reaches it")
    }
    return address
  }

  /// The token that clients must send; nil for none.
  func token() throws -> String? {
    guard let tokenFile else { return nil }
    let bytes = try FileBytes.contents(of: tokenFile)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
    guard lines.count == 1, (16...512).contains(lines[0].utf8.count),
      lines[0].utf8.allSatisfy({ (0x21..<0x7f).contains($0) })
    else {
      throw CommandError.input(
        "\(tokenFile): must be one line of 16 to 512 printable characters without blanks; make one with: "
          + "openssl rand -hex 32")
    }
    return String(lines[0])
  }

  /// The token of the page; nil for one made at the start.
  func pageToken() throws -> String? {
    guard let token = try token(), let tokenFile else { return nil }
    guard token.utf8.allSatisfy({ $0.isPlainInURL }), token.utf8.count <= 64 else {
      throw CommandError.input(
        "\(tokenFile): the token of a page stands in its address: give 16 to 64 letters, digits, - and _, as of: "
          + "openssl rand -hex 32")
    }
    return token
  }

  /// The threads of each worker; busy workers take those of idle ones.
  func teams(threads: Int) -> WorkerThreads { WorkerThreads(workers: workers, threads: threads) }

  var serviceLimits: InferenceLimits {
    var limits = InferenceLimits()
    limits.bodyBytes = maxBody.count
    limits.timeout = .milliseconds(max(1, Int(clamping: timeout * 1000)))
    return limits
  }

  var connectionLimits: ConnectionLimits {
    var limits = ConnectionLimits()
    limits.connections = maxConnections
    (limits.bodyTimeout, limits.answerTimeout) = (serviceLimits.timeout, serviceLimits.timeout)
    limits.memory = memory
    return limits
  }

  /// Bytes for requests; call it after the networks are loaded, since it counts the memory that is left.
  var memory: Int { maxMemory?.count ?? MemoryShare.forRequests(body: maxBody.count) }
}

extension UInt8 {
  /// Whether it is a letter, a digit, - or _.
  fileprivate var isPlainInURL: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
