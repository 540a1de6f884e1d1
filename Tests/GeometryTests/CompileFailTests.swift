import Foundation
import Testing

/// Misuse that must not compile: every file of Tests/CompileFail is type-checked against the built modules, and its
/// first line says which diagnostic is expected ("compiles" for none).
@Suite struct CompileFailTests {
  static let marker = "// expect: "
  static let compiles = "compiles"

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("CompileFail")

  static let snippets: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".swift") }.sorted()

  /// The compiler of the search path.
  static let compiler: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/swiftc" }.first(where: FileManager.default.isExecutableFile)

  /// The folder of built modules, beside the running test program.
  static let modules: String? = [
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), CommandLine.arguments.first,
  ].compactMap { $0 }
    .flatMap { program -> [String] in
      var folder = URL(fileURLWithPath: program)
      return (0..<4).map { _ in
        folder.deleteLastPathComponent()
        return folder.appendingPathComponent("Modules").path
      }
    }
    .first { FileManager.default.fileExists(atPath: "\($0)/Perception.swiftmodule") }

  /// Those of the C modules that ours are built on.
  static func moduleMaps(besides modules: String) -> [String] {
    let sources = folder.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")
    let build = URL(fileURLWithPath: modules).deletingLastPathComponent()
    let system = sources.appendingPathComponent("Support/System")
    let targets = (try? FileManager.default.contentsOfDirectory(atPath: system.path)) ?? []
    return targets.sorted().map { system.appendingPathComponent("\($0)/module.modulemap").path }
      + [build.appendingPathComponent("CKernelShims.build/module.modulemap").path]
      .filter(FileManager.default.fileExists(atPath:))
  }

  static func diagnostics(of snippet: String, compiler: String, modules: String) throws -> (
    status: Int32, text: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: compiler)
    process.arguments =
      ["-typecheck", "-swift-version", "6", "-I", modules]
      + moduleMaps(besides: modules).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
      + [folder.appendingPathComponent(snippet).path]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func theFolderHoldsRightAndWrongSnippets() throws {
    let expectations = try Self.snippets.map(Self.expectation)
    #expect(expectations.contains(Self.compiles))
    #expect(expectations.filter { $0 != Self.compiles }.count >= 5)
  }

  @Test(
    .enabled(if: compiler != nil, "needs swiftc on PATH"),
    .enabled(if: modules != nil, "needs the built modules beside the test program"), arguments: snippets)
  func snippetIsJudgedAsExpected(_ snippet: String) throws {
    let expected = try Self.expectation(snippet)
    let result = try Self.diagnostics(
      of: snippet, compiler: #require(Self.compiler), modules: #require(Self.modules))
    if expected == Self.compiles {
      #expect(result.status == 0, "\(snippet): \(result.text)")
    } else {
      #expect(result.status != 0, "\(snippet) compiles but must not")
      #expect(result.text.contains("error: \(expected)"), "\(snippet): \(result.text)")
      let errors = result.text.components(separatedBy: "\n").filter {
        $0.contains(".swift:") && $0.contains("error: ")
      }
      #expect(errors.count == 1, "\(snippet) must fail for one reason: \(result.text)")
    }
  }

  static func expectation(_ snippet: String) throws -> String {
    let text = try String(contentsOf: folder.appendingPathComponent(snippet), encoding: .utf8)
    let first = try #require(text.split(separator: "\n").first)
    #expect(first.hasPrefix(marker), "\(snippet) says nothing about what to expect")
    return String(first.dropFirst(marker.count))
  }
}
