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
      case nil: "that is no address in digits with a port"
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
      Where to listen. The page on another address than loopback (0.0.0.0:8765 for all) is for whoever opens the address \
      with its token, which is printed as a QR code too. With --models that needs --token-file or --no-auth. By default \
      127.0.0.1:8765, with --models 127.0.0.1:8000.
      """, valueName: "address:port"), transform: ListeningAddress.option)
  var listen: ListeningAddress?

  @Flag(
    help: """
      With --models: answer DeepStack's API too (POST /v1/vision/detection), which programs for home cameras such as \
      Frigate, Home Assistant and Blue Iris speak; api_key is the token.
      """)
  var deepstack = false

  @Option(help: "Requests that are computed side by side; the threads are shared out among them.")
  var lanes = 1

  @Option(help: "Requests that wait for a lane, at most; others are answered 503.")
  var maxQueue = 64

  @Option(
    help: ArgumentHelp(
      """
      A file whose one line clients send as Authorization: Bearer; health checks need none. Of the page: the token in its \
      address, in letters, digits, - and _, instead of a new one at each start.
      """,
      valueName: "file"))
  var tokenFile: String?

  @Flag(help: "Everybody who reaches the address may ask.")
  var noAuth = false

  @Option(
    help: """
      Seconds for a request's body to arrive, from its head to its answer, and for the answer to be taken, each at most and \
      in all; a request's own timeout may be shorter.
      """)
  var timeout = 60.0

  @Option(help: "Bytes of a request's body, at most.")
  var maxBody = LimitAmount(64 << 20)

  @Option(
    help: ArgumentHelp(
      """
      Bytes of memory that requests, the pictures, masks and tensors made of them, and answers hold together, at most, the \
      networks' own beside them; one request has three quarters. What does not fit is refused beforehand: 413 where it \
      never will, 503 where others hold it. By default 1G, eight bodies where that is more, or half of what ulimit -v \
      or the container leaves.
      """, valueName: "bytes"))
  var maxMemory: LimitAmount?

  @Option(help: "Connections at a time.")
  var maxConnections = 256

  @Option(help: "json: a line for each request on standard error.")
  var log = LogFormat.none

  func validate() throws {
    for (name, value, range) in [
      ("--lanes", lanes, 1...64), ("--max-queue", maxQueue, 0...10_000),
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

  /// Where to listen; loopback unless it is said who may ask.
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

  /// Threads for each lane, which share them as they are busy.
  func teams(threads: Int) -> LaneThreads { LaneThreads(lanes: lanes, threads: threads) }

  var serviceLimits: InferenceLimits {
    var limits = InferenceLimits()
    limits.bodyBytes = maxBody.count
    limits.patience = .milliseconds(max(1, Int(clamping: timeout * 1000)))
    return limits
  }

  var connectionLimits: ConnectionLimits {
    var limits = ConnectionLimits()
    limits.connections = maxConnections
    (limits.bodyPatience, limits.answerPatience) = (serviceLimits.patience, serviceLimits.patience)
    limits.memory = memory
    return limits
  }

  /// Bytes for requests, to be asked once everything that stays is loaded.
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
