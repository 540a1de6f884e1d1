// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 language mode, strict memory safety, no warning left standing.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Targets with loops over pixels, points and bytes: optimized in debug builds too, where they would be ten times slower.
let optimized = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

// A manifest runs on the machine that builds. Where that builds for another one, ARDF_ARCH says which: x86_64 or arm64.
#if arch(x86_64)
  let ownArchitecture = "x86_64"
#elseif arch(arm64)
  let ownArchitecture = "arm64"
#else
  let ownArchitecture = "other"
#endif
let architecture = Context.environment["ARDF_ARCH"] ?? ownArchitecture

/// `vpdpwssd` as it is written: LLVM makes two instructions of it, unless a processor is said to be fast at the one.
let pairwiseProducts = ["-Xclang", "-target-feature", "-Xclang", "+fast-dpwssd"]

/// The instruction sets with kernels of their own, and what the compiler is told of them.
let instructionSets: [(target: String, flags: [String])] =
  [
    "x86_64": [
      ("NNKernelsAVX2", ["-march=x86-64-v3"]),
      ("NNKernelsAVX512", ["-march=x86-64-v4"]),
      ("NNKernelsVNNI", ["-march=x86-64-v4", "-mavx512vnni"] + pairwiseProducts),
      (
        "NNKernelsBF16",
        ["-march=x86-64-v4", "-mavx512bf16", "-mavx512vnni", "-mamx-tile", "-mamx-bf16"] + pairwiseProducts
      ),
    ],
    "arm64": [
      ("NNKernelsNEON", []),
      ("NNKernelsNEONFP16", ["-march=armv8.2-a+fp16"]),
      ("NNKernelsNEONDotProd", ["-march=armv8.2-a+dotprod"]),
      ("NNKernelsNEONI8MM", ["-march=armv8.2-a+i8mm"]),
      ("NNKernelsNEONBF16", ["-march=armv8.2-a+bf16+i8mm"]),
    ],
  ][architecture, default: []] + [("NNKernelsPortable", [])]

/// Kernel targets are unsafe by nature: small, and reached only through `NNRuntime`'s checked entry points.
///
/// The same sources are compiled once for each instruction set (docs/decisions/0004).
/// Always optimized: a kernel in a debug build would be a thousand times too slow to test with.
let kernels: [Target] = instructionSets.map { set in
  .target(
    name: set.target, dependencies: ["NNKernelInterface", "CKernelShims"],
    swiftSettings: [
      .swiftLanguageMode(.v6),
      .treatAllWarnings(as: .error),
      .unsafeFlags(["-O"] + set.flags.flatMap { ["-Xcc", $0] }),
    ])
}

func tests(_ module: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: ["TestSupport"] + dependencies, resources: resources,
    swiftSettings: strict)
}

/// A small program that shows how the libraries are used, built with everything else.
func example(
  _ name: String, _ dependencies: [Target.Dependency] = ["Models", "NNRuntime", "Imaging", "Geometry"]
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(name)", swiftSettings: strict)
}

let package = Package(
  name: "ardf",
  products: [
    .executable(name: "ardf", targets: ["ardf"]),
    // With the modules whose types are in their interfaces.
    .library(name: "NNRuntime", targets: ["NNRuntime", "FileFormats"]),
    .library(name: "NNVerification", targets: ["NNVerification", "NNRuntime"]),
    .library(
      name: "Models", targets: ["Models", "NNRuntime", "Imaging", "Geometry", "Archives", "FileFormats"]),
    .library(name: "AppCore", targets: ["AppCore", "Imaging", "Geometry"]),
    .library(
      name: "Perception", targets: ["Perception", "Models", "AppCore", "NNRuntime", "Imaging", "Geometry"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: kernels + [
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CSpng", pkgConfig: "spng", providers: [.apt(["libspng-dev"])]),
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSystemShims"),
    .target(name: "CKernelShims"),

    .target(
      name: "NNKernelInterface", dependencies: ["CKernelShims"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

    .target(name: "Geometry", swiftSettings: optimized),
    .target(name: "FileFormats", dependencies: ["CSystemShims"], swiftSettings: optimized),
    .target(name: "Archives", dependencies: ["FileFormats", "CDeflate"], swiftSettings: optimized),
    .target(name: "Digests", dependencies: ["FileFormats", "CCrypto"], swiftSettings: strict),
    .target(name: "OutputFolders", dependencies: ["FileFormats", "Digests"], swiftSettings: strict),
    .target(name: "Sharding", dependencies: ["FileFormats", "Digests"], swiftSettings: optimized),
    .target(
      name: "Imaging", dependencies: ["Geometry", "FileFormats", "Archives", "CTurboJPEG", "CSpng"],
      swiftSettings: optimized),
    .target(
      name: "NNRuntime",
      dependencies: ["FileFormats", "CKernelShims", "NNKernelInterface"]
        + instructionSets.map { .target(name: $0.target) }, swiftSettings: optimized),
    .target(
      name: "NNVerification", dependencies: ["NNRuntime", "FileFormats", "Archives"], swiftSettings: optimized
    ),
    .target(name: "ONNX", dependencies: ["FileFormats"], swiftSettings: optimized),
    .target(
      name: "Evaluation", dependencies: ["FileFormats", "Geometry", "Imaging"], swiftSettings: optimized),
    .target(
      name: "Models",
      dependencies: ["NNRuntime", "FileFormats", "Archives", "Digests", "Geometry", "Imaging"],
      swiftSettings: optimized),
    .target(
      name: "AppCore", dependencies: ["FileFormats", "Archives", "OutputFolders", "Geometry", "Imaging"],
      swiftSettings: optimized),
    .target(
      name: "Perception", dependencies: ["AppCore", "Models", "NNRuntime", "Geometry", "Imaging"],
      swiftSettings: optimized
    ),
    .target(
      name: "Reporting", dependencies: ["AppCore", "FileFormats", "Archives", "Geometry", "Imaging"],
      resources: [
        "page.html", "page.css", "core.js", "picture.js", "space.js", "orbit.js", "plots.js", "effects.js",
        "main.js",
      ].map { .embedInCode("Page/\($0)") }, swiftSettings: strict),
    .target(
      name: "HTTPServing",
      dependencies: ["FileFormats", .product(name: "FlyingSocks", package: "FlyingFox")],
      swiftSettings: strict),
    .target(
      name: "Serving",
      dependencies: ["HTTPServing", "Reporting", "AppCore", "FileFormats", "Archives", "OutputFolders"],
      swiftSettings: strict),
    .target(name: "InferenceProtocol", dependencies: ["FileFormats"], swiftSettings: optimized),
    .target(
      name: "InferenceServing", dependencies: ["InferenceProtocol", "HTTPServing", "FileFormats"],
      swiftSettings: strict),
    .executableTarget(
      name: "ardf",
      dependencies: [
        "AppCore", "Reporting", "Serving", "InferenceServing", "InferenceProtocol", "HTTPServing",
        "Perception", "Models", "ONNX", "Evaluation", "NNVerification", "NNRuntime", "Imaging", "Geometry",
        "Sharding", "OutputFolders", "Digests", "Archives", "FileFormats",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),

    example("LoadNetwork"),
    example("DetectObjects"),
    example("LocateObjects", ["Perception", "AppCore", "Models", "NNRuntime", "Imaging", "Geometry"]),
    example("TraceLayers"),
    example("ProfileLayers"),
    example("LiveLoop", ["AppCore", "Imaging", "Geometry"]),

    .target(
      name: "TestSupport", dependencies: ["FileFormats", "Archives"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "ParserTargets",
      dependencies: [
        "TestSupport", "AppCore", "Models", "NNVerification", "NNRuntime", "HTTPServing", "Sharding",
        "InferenceProtocol", "Imaging", "Geometry", "Archives", "FileFormats",
      ], path: "Tests/ParserTargets", swiftSettings: strict),
    tests("Geometry", ["Geometry", "FileFormats"]),
    tests("FileFormats", ["FileFormats", "Archives", "Digests", "OutputFolders"]),
    tests("Sharding", ["Sharding", "FileFormats"]),
    tests("Imaging", ["Imaging", "Geometry", "FileFormats", "Digests"], resources: [.copy("Goldens")]),
    tests("NNKernels", ["NNKernelInterface", "NNRuntime", "FileFormats"]),
    tests("NNRuntime", ["NNRuntime", "NNVerification", "FileFormats", "Archives"]),
    tests(
      "Models", ["Models", "NNRuntime", "FileFormats", "Archives", "Digests", "Geometry", "Imaging"],
      resources: [.copy("Goldens")]),
    tests(
      "AppCore", ["AppCore", "FileFormats", "Archives", "Digests", "Geometry", "Imaging"],
      resources: [.copy("Goldens")]),
    tests("ONNX", ["ONNX", "FileFormats"]),
    tests("Evaluation", ["Evaluation", "FileFormats", "Geometry", "Imaging"], resources: [.copy("Goldens")]),
    tests(
      "Perception",
      ["Perception", "AppCore", "Models", "NNRuntime", "FileFormats", "Geometry", "Imaging"]),
    tests("Hostile", ["ParserTargets", "FileFormats"]),
    tests("Reporting", ["Reporting", "AppCore", "FileFormats", "Archives", "Geometry", "Imaging"]),
    tests("InferenceProtocol", ["InferenceProtocol", "FileFormats"]),
    tests("InferenceServing", ["InferenceServing", "InferenceProtocol", "HTTPServing", "FileFormats"]),
    tests("Serving", ["Serving", "HTTPServing", "Reporting", "AppCore", "FileFormats", "Archives"]),
    tests(
      "Command",
      [
        "ardf", "AppCore", "FileFormats", "Archives", "Digests", "OutputFolders", "Imaging", "ParserTargets",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

/// Throws bytes at every parser, driven by libFuzzer: only where `tools/prove/fuzz` asks, because its `main` is
/// libFuzzer's.
if Context.environment["ARDF_FUZZ"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["ParserTargets"], path: "Fuzz/Sources/fuzz",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]))
}
