import FileFormats

/// An output that would destroy an input, or be mixed with it.
package enum OutputConflict: Error, Equatable, CustomStringConvertible {
  /// Both are one file or folder.
  case same(output: String, input: String)
  /// The output's folder holds the input.
  case holds(output: String, input: String)
  /// The output lies in the input's folder.
  case liesIn(output: String, input: String)

  /// One line that says what to do.
  package var description: String {
    switch self {
    case .same(let output, let input):
      "\(output): is the input \(input) itself; write to another name"
    case .holds(let output, let input):
      "\(output): holds the input \(input); write to a folder beside it"
    case .liesIn(let output, let input):
      "\(output): lies in the input \(input); write to a folder outside it"
    }
  }

  /// Refuses an output that is, contains or lies in one of the inputs, whatever names and links they are
  /// reached by.
  ///
  /// Missing inputs are ignored.
  package static func check(_ output: String, against inputs: [String]) throws(OutputConflict) {
    let own = POSIX.identity(of: output)
    let above = foldersAbove(output)
    for input in inputs {
      guard let identity = POSIX.identity(of: input) else { continue }
      if let own, own.isSameFile(as: identity) { throw .same(output: output, input: input) }
      if above.contains(where: { $0.isSameFile(as: identity) }) {
        throw .liesIn(output: output, input: input)
      }
      if let own, foldersAbove(input).contains(where: { $0.isSameFile(as: own) }) {
        throw .holds(output: output, input: input)
      }
    }
  }

  /// Identities of the folders above a path, links resolved, the innermost first.
  private static func foldersAbove(_ path: String) -> [POSIX.Identity] {
    // The output itself need not exist yet, nor what is to hold it.
    var folder =
      POSIX.resolved(path).map { AtomicOutputs.split($0).folder } ?? AtomicOutputs.split(path).folder
    while POSIX.resolved(folder) == nil, folder != "." { folder = AtomicOutputs.split(folder).folder }
    guard var resolved = POSIX.resolved(folder) else { return [] }
    var identities: [POSIX.Identity] = []
    while true {
      if let identity = POSIX.identity(of: resolved) { identities.append(identity) }
      if resolved == "/" { return identities }
      resolved = AtomicOutputs.split(resolved).folder
    }
  }
}

extension OutputConflict: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
