/// The lines of a file or a pipe, one at a time: memory holds one of them and a block of what comes next.
package struct LineReader {
  /// A line without its end.
  package struct Line {
    /// Bytes before it.
    package let offset: Int
    package let bytes: [UInt8]
    /// Whether a line feed ends it; only the last line may lack one.
    package let isEnded: Bool

    /// Bytes of the line and its end.
    package var length: Int { bytes.count + (isEnded ? 1 : 0) }
  }

  /// Why there is no next line.
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case file(FileError)
    /// A line has more bytes than any that is meant.
    case tooLong(name: String, line: Int, limit: Int)

    package var description: String {
      switch self {
      case .file(let error): "\(error)"
      case .tooLong(let name, let line, let limit):
        "\(name): line \(line) has more than \(limit) bytes; check that it is the right file"
      }
    }
  }

  private static let blockSize = 1 << 16

  private let pipe: InputPipe
  private let longest: Int
  private var block: [UInt8] = []
  private var position = 0
  private var offset = 0
  /// Lines handed out so far.
  package private(set) var count = 0

  /// - `longest`: Bytes that a line may have.
  package init(_ pipe: InputPipe, longest: Int) {
    self.pipe = pipe
    self.longest = longest
  }

  /// The next line; nil at the end.
  package mutating func next() throws(Failure) -> Line? {
    var line: [UInt8] = []
    while true {
      if position == block.count {
        do throws(FileError) {
          block = try pipe.read(atMost: Self.blockSize)
        } catch {
          throw .file(error)
        }
        position = 0
        if block.isEmpty { return line.isEmpty ? nil : finish(line, isEnded: false) }
      }
      let rest = block[position...]
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let taken = end ?? block.count
      guard line.count + taken - position <= longest else {
        throw .tooLong(name: pipe.name, line: count + 1, limit: longest)
      }
      line += block[position..<taken]
      position = end.map { $0 + 1 } ?? taken
      if end != nil { return finish(line, isEnded: true) }
    }
  }

  private mutating func finish(_ bytes: [UInt8], isEnded: Bool) -> Line {
    let line = Line(offset: offset, bytes: bytes, isEnded: isEnded)
    offset += line.length
    count += 1
    return line
  }
}

extension LineReader.Failure: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    if case .file(let file) = self { file.fault } else { .malformedInput }
  }
}
