import Foundation

extension TemporaryDirectory {
  /// Writes a script that can be run to an entry of the folder and returns its path.
  ///
  /// Another process writes it: the system runs no file that anyone holds open for writing, and whatever this process
  /// starts meanwhile, in other tests, holds for a moment what this one has open.
  @discardableResult
  public func writeProgram(_ script: String, to name: String) throws -> String {
    let text = try write(script, to: name + ".text")
    let install = Process()
    install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
    install.arguments = ["-m", "755", text, file(name)]
    try install.run()
    install.waitUntilExit()
    guard install.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    try FileManager.default.removeItem(atPath: text)
    return file(name)
  }
}
