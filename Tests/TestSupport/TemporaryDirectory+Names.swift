import Foundation

extension TemporaryDirectory {
  /// Renames an entry to a name that may be no text: `name` has bytes in octal, as `printf` takes them (`caf\351.png`).
  ///
  /// Foundation can say no such name; a shell can.
  public func rename(_ entry: String, toBytes name: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", #"mv "$0" "$(dirname "$0")/$(printf "$1")""#, file(entry), name]
    try shell.run()
    shell.waitUntilExit()
    guard shell.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
