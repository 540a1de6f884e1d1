import ArgumentParser
import FileFormats
import Models
import NNRuntime
import ONNX
import OutputFolders

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Exit codes of the process, as in sysexits.h.
enum ExitStatus: Int32 {
  case checkFailed = 1
  case tooManyBadInputs = 10
  case usage = 64
  case malformedInput = 65
  case missingInput = 66
  case unavailable = 69
  case internalError = 70
  case noResources = 71
  case cannotCreate = 73
  case inputOutput = 74
  case stalled = 75

  /// Most characters of a message, since names in it may be of any length.
  private static let longest = 1500

  /// Prints the error and ends the process; the parser of arguments prints help and usage errors.
  static func exit(with error: any Error) -> Never {
    ChildProcess.endAll()
    // A signal is ending the process: what failed may be the files it removed.
    while AtomicOutputs.isClosed { pause() }
    if let end = error as? EndedBySignal { Glibc.exit(end.status) }
    guard let status = ExitStatus(of: error) else { explain(error) }
    let words = Array(CommandLine.arguments.dropFirst())
    if case CommandError.checksFailed(let failures) = error {
      for failure in failures { Console.note("ardf: " + printableName(failure, limit: longest)) }
    } else {
      let remedy = MissingPath.remedy(for: error) + FileKinds.remedy(for: error)
      let text = FieldWords.asTyped("\(error)\(remedy)", words: words)
      Console.note("ardf: " + printableName(text, limit: longest))
    }
    Glibc.exit(status.rawValue)
  }

  /// Prints what the argument parser says, help as a result.
  private static func explain(_ error: any Error) -> Never {
    let text = ARDF.fullMessage(for: error)
    let code = ARDF.exitCode(for: error)
    if code == .success {
      try? Console.print(HelpLayout.isShort ? HelpLayout.short(text) : HelpLayout.arranged(text))
    } else {
      let words = Array(CommandLine.arguments.dropFirst())
      if let error = GivenWeights.refused(among: UsageMessage.ours(words)) { exit(with: error) }
      // It repeats what was typed, of whatever length.
      let said = FieldWords.asTyped(UsageMessage.improved(text, words: words), words: words)
      let lines = said.split(separator: "\n").flatMap {
        HelpLayout.fitting(String($0)).split(separator: "\n")
      }
      Console.note(
        lines: lines.map { printableName(String($0), limit: 800) }.joined(separator: "\n"))
    }
    Glibc.exit(code.rawValue)
  }

  /// The exit code and message of an error; nil for errors of the argument parser.
  private init?(of error: any Error) {
    switch innermost(error) {
    case let error as CommandError: self = error.status
    case let error as any ClassifiedError: self.init(error.fault)
    default:
      if ARDF.exitCode(for: error) != .failure { return nil }
      self = .internalError
    }
  }

  private init(_ fault: Fault) {
    self =
      switch fault {
      case .missingInput: .missingInput
      case .malformedInput: .malformedInput
      case .usage: .usage
      case .unavailable: .unavailable
      case .noResources: .noResources
      case .cannotCreate: .cannotCreate
      case .inputOutput: .inputOutput
      case .bug: .internalError
      }
  }
}

/// The error of a command that a signal ended: it finished what it had begun and left out the rest.
struct EndedBySignal: Error {
  let signal: Int32

  /// How the process ends: as a shell reports a signal.
  var status: Int32 { 128 + signal }
}

/// A failure of a command itself.
enum CommandError: Error, CustomStringConvertible {
  /// A request that the given inputs or options do not allow.
  case usage(String)
  /// No weights were given and none were found.
  case noWeights(String)
  /// An input that does not exist.
  case missing(String)
  /// An output that exists and may not be replaced.
  case taken(String)
  /// The inputs do not go together, or one of them is not what it should be.
  case input(String)
  /// The command finished, and a check failed.
  case checkFailed(String)
  /// The input is intact, but its kind is not supported.
  case unsupported(String)
  /// As `checkFailed`, with a line for each reason.
  case checksFailed([String])
  /// More inputs are bad than are allowed.
  case overBudget(String)
  /// The system failed; another attempt may succeed.
  case tryAgain(String)
  /// A camera or an address gives no more pictures, and does not end.
  case stalled(String)

  var description: String {
    switch self {
    case .usage(let text), .noWeights(let text), .missing(let text), .taken(let text), .input(let text),
      .unsupported(let text), .checkFailed(let text), .overBudget(let text), .tryAgain(let text),
      .stalled(let text):
      text
    case .checksFailed(let texts): texts.joined(separator: "; ")
    }
  }

  var status: ExitStatus {
    switch self {
    case .usage: .usage
    case .noWeights, .missing: .missingInput
    case .taken: .cannotCreate
    case .input: .malformedInput
    case .unsupported: .unavailable
    case .checkFailed, .checksFailed: .checkFailed
    case .overBudget: .tooManyBadInputs
    case .tryAgain: .inputOutput
    case .stalled: .stalled
    }
  }
}

/// A defect inside a file, reported with the file's name.
struct InFile: ClassifiedError, CustomStringConvertible {
  let file: String
  let error: any Error

  var description: String { "\(file): \(error)" }
  var fault: Fault { FileFormats.fault(of: error) ?? .malformedInput }

  /// Runs `body`; errors that it throws get the file's name.
  static func naming<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as InFile {
      // The file that it names is the one to mend.
      throw error
    } catch {
      switch innermost(error) {
      // Both name their file themselves, and a plan has none.
      case let error as FileError: throw error
      case let error as WeightError: throw error
      case ONNXError.file(let error): throw error
      case let error as PlanError: throw error
      case let error: throw InFile(file: file, error: error)
      }
    }
  }
}
