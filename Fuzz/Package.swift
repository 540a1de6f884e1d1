// swift-tools-version: 6.2
import PackageDescription

/// Throws bytes at every parser, driven by libFuzzer (`tools/fuzz`).
///
/// A package of its own, so that building `ardf` knows nothing of it. Its targets and their corpus are tested by
/// `Tests/HostileTests` too.
let package = Package(
  name: "ardf-fuzz",
  dependencies: [.package(name: "ardf", path: "..")],
  targets: [
    .executableTarget(
      name: "fuzz", dependencies: [.product(name: "ParserTargets", package: "ardf")],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
  ]
)
