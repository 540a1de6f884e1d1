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

/// The instruction sets with kernels of their own, and their compiler flags.
let instructionSets: [(target: String, folder: String, flags: [String])] =
  [
    "x86_64": [
      ("NNKernelsAVX2", "x86/AVX2", ["-march=x86-64-v3"]),
      ("NNKernelsAVX512", "x86/AVX512", ["-march=x86-64-v4"]),
      ("NNKernelsVNNI", "x86/VNNI", ["-march=x86-64-v4", "-mavx512vnni"] + pairwiseProducts),
      (
        "NNKernelsBF16", "x86/BF16",
        ["-march=x86-64-v4", "-mavx512bf16", "-mavx512vnni", "-mamx-tile", "-mamx-bf16"] + pairwiseProducts
      ),
    ],
    "arm64": [
      ("NNKernelsNEON", "arm/NEON", []),
      ("NNKernelsNEONFP16", "arm/NEONFP16", ["-march=armv8.2-a+fp16"]),
      ("NNKernelsNEONDotProd", "arm/NEONDotProd", ["-march=armv8.2-a+dotprod"]),
      ("NNKernelsNEONI8MM", "arm/NEONI8MM", ["-march=armv8.2-a+i8mm"]),
      ("NNKernelsNEONBF16", "arm/NEONBF16", ["-march=armv8.2-a+bf16+i8mm"]),
    ],
  ][architecture, default: []] + [("NNKernelsPortable", "Portable", [])]

/// Targets that compute nothing themselves: commands and pages, smaller and as fast.
let small = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// Kernel targets are unsafe by nature: small, and reached only through `NNRuntime`'s checked entry points.
///
/// The same sources are compiled once for each instruction set (docs/decisions/0004).
/// Always optimized: a kernel in a debug build would be a thousand times too slow to test with.
let kernels: [Target] = instructionSets.map { set in
  .target(
    name: set.target, dependencies: ["NNKernelInterface", "CKernelShims"],
    path: "Sources/NNRuntime/Kernels/\(set.folder)",
    swiftSettings: [
      .swiftLanguageMode(.v6),
      .treatAllWarnings(as: .error),
      .unsafeFlags(["-O"] + set.flags.flatMap { ["-Xcc", $0] }),
    ])
}

/// Tests that compute themselves are optimized with the rest; those that start programs or ask servers compile twice as
/// fast without.
func tests(
  _ module: String, _ dependencies: [Target.Dependency], resources: [Resource] = [], computing: Bool = true
) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: ["TestSupport"] + dependencies, resources: resources,
    swiftSettings: strict + (computing ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))]))
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
    .library(name: "ONNX", targets: ["ONNX", "FileFormats"]),
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
  // Five rooms (CONTRIBUTING.md, "Where a file goes"); a target is a folder of one.
  targets: kernels + [
    // Support: what all others stand on.
    .systemLibrary(
      name: "CTurboJPEG", path: "Sources/Support/System/CTurboJPEG", pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(
      name: "CSpng", path: "Sources/Support/System/CSpng", pkgConfig: "spng",
      providers: [.apt(["libspng-dev"])]),
    .systemLibrary(
      name: "CDeflate", path: "Sources/Support/System/CDeflate", pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(
      name: "CCrypto", path: "Sources/Support/System/CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CHeif", path: "Sources/Support/System/CHeif"),
    .systemLibrary(name: "COpenJPEG", path: "Sources/Support/System/COpenJPEG"),
    .systemLibrary(name: "CSystemShims", path: "Sources/Support/System/CSystemShims"),
    .target(name: "Geometry", path: "Sources/Support/Geometry", swiftSettings: optimized),
    .target(
      name: "FileFormats", dependencies: ["CSystemShims"], path: "Sources/Support/FileFormats",
      swiftSettings: optimized),
    .target(
      name: "Archives", dependencies: ["FileFormats", "CDeflate"], path: "Sources/Support/Archives",
      swiftSettings: optimized),
    .target(
      name: "Digests", dependencies: ["FileFormats", "CCrypto"], path: "Sources/Support/Digests",
      swiftSettings: strict),
    .target(
      name: "OutputFolders", dependencies: ["FileFormats", "Digests"], path: "Sources/Support/OutputFolders",
      swiftSettings: strict),
    .target(
      name: "Imaging",
      dependencies: ["Geometry", "FileFormats", "Archives", "CTurboJPEG", "CSpng", "CHeif", "COpenJPEG"],
      path: "Sources/Support/Imaging", swiftSettings: optimized),

    // NNRuntime: engine, kernels, verification, networks of ONNX files.
    .target(name: "CKernelShims", path: "Sources/NNRuntime/Kernels/Shims"),
    .target(
      name: "NNKernelInterface", dependencies: ["CKernelShims"], path: "Sources/NNRuntime/Kernels/Interface",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .target(
      name: "NNRuntime",
      dependencies: ["FileFormats", "CKernelShims", "NNKernelInterface"]
        + instructionSets.map { .target(name: $0.target) }, path: "Sources/NNRuntime/Engine",
      swiftSettings: optimized),
    .target(
      name: "NNVerification", dependencies: ["NNRuntime", "FileFormats", "Archives"],
      path: "Sources/NNRuntime/Verification", swiftSettings: optimized),
    .target(
      name: "ONNX", dependencies: ["FileFormats", "Imaging"], path: "Sources/NNRuntime/ONNX",
      swiftSettings: optimized),
    .target(
      name: "ONNXEngine", dependencies: ["ONNX", "NNRuntime", "FileFormats"],
      path: "Sources/NNRuntime/Lowering", swiftSettings: optimized),

    // Models: networks by the names in their checkpoints.
    .target(
      name: "Models",
      dependencies: [
        "NNRuntime", "ONNX", "ONNXEngine", "FileFormats", "Archives", "Digests", "Geometry", "Imaging",
      ],
      path: "Sources/Models", exclude: ["README.md"], swiftSettings: optimized),

    // AppCore: from a captured frame to a scene, and the live loop; the flow of all of it is Perception.
    .target(
      name: "AppCore", dependencies: ["FileFormats", "Archives", "OutputFolders", "Geometry", "Imaging"],
      path: "Sources/AppCore", exclude: ["Perception", "README.md"], swiftSettings: optimized),
    .target(
      name: "Perception",
      dependencies: ["AppCore", "Models", "NNRuntime", "FileFormats", "Geometry", "Imaging"],
      path: "Sources/AppCore/Perception", swiftSettings: optimized),

    // ardf: the command, its servers, jobs, evaluation.
    .target(
      name: "Sharding", dependencies: ["Reporting", "AppCore", "OutputFolders", "FileFormats", "Digests"],
      path: "Sources/ardf/Jobs", swiftSettings: optimized),
    .target(
      name: "Evaluation",
      dependencies: ["Perception", "AppCore", "Models", "FileFormats", "Geometry", "Imaging"],
      path: "Sources/ardf/Evaluation", swiftSettings: optimized),
    .target(
      name: "Reporting", dependencies: ["AppCore", "FileFormats", "Archives", "Geometry", "Imaging"],
      path: "Sources/ardf/Reporting",
      resources: [
        "page.html", "page.css", "core.js", "picture.js", "space.js", "orbit.js", "plots.js", "effects.js",
        "main.js",
      ].map { .embedInCode("Page/\($0)") }, swiftSettings: strict),
    .target(
      name: "HTTPServing",
      dependencies: ["FileFormats", .product(name: "FlyingSocks", package: "FlyingFox")],
      path: "Sources/ardf/Serving/HTTP", swiftSettings: strict),
    .target(
      name: "Serving",
      dependencies: ["HTTPServing", "Reporting", "AppCore", "FileFormats", "OutputFolders"],
      path: "Sources/ardf/Serving/Page", swiftSettings: strict),
    .target(
      name: "InferenceProtocol", dependencies: ["FileFormats"],
      path: "Sources/ardf/Serving/InferenceProtocol", swiftSettings: optimized),
    .target(
      name: "InferenceServing", dependencies: ["InferenceProtocol", "HTTPServing", "FileFormats"],
      path: "Sources/ardf/Serving/Inference", swiftSettings: strict),
    .executableTarget(
      name: "ardf",
      dependencies: [
        "AppCore", "Reporting", "Serving", "InferenceServing", "InferenceProtocol", "HTTPServing",
        "Perception", "Models", "ONNX", "ONNXEngine", "Evaluation", "NNVerification", "NNRuntime", "Imaging",
        "Geometry",
        "Sharding", "OutputFolders", "Digests", "Archives", "FileFormats",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/ardf/Command", swiftSettings: small),

    example("LoadNetwork"),
    example("DetectObjects"),
    example("LocateObjects", ["Perception", "AppCore", "Models", "NNRuntime", "Imaging", "Geometry"]),
    example("TraceLayers"),
    example("ProfileLayers"),
    example("RunONNX", ["ONNX"]),
    example("LiveLoop", ["AppCore", "Imaging", "Geometry"]),
    example("TapToPlace", ["AppCore", "Imaging", "Geometry"]),

    .target(
      name: "TestSupport", dependencies: ["FileFormats", "Archives"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "ParserTargets",
      dependencies: [
        "TestSupport", "AppCore", "Models", "ONNX", "NNVerification", "NNRuntime", "HTTPServing", "Sharding",
        "InferenceProtocol", "Imaging", "Geometry", "Archives", "FileFormats",
      ], path: "Tests/ParserTargets", swiftSettings: strict),
    tests("Geometry", ["Geometry", "FileFormats"]),
    tests(
      "FileFormats", ["FileFormats", "Archives", "Digests", "OutputFolders"], resources: [.copy("Goldens")]),
    tests("Sharding", ["Sharding", "FileFormats"]),
    tests("Imaging", ["Imaging", "Geometry", "FileFormats", "Digests"], resources: [.copy("Goldens")]),
    tests("NNKernels", ["NNKernelInterface", "NNRuntime", "FileFormats"]),
    tests("NNRuntime", ["NNRuntime", "NNVerification", "FileFormats", "Archives"]),
    tests(
      "Models", ["Models", "NNRuntime", "ONNX", "FileFormats", "Archives", "Digests", "Geometry", "Imaging"],
      resources: [.copy("Goldens")]),
    tests(
      "AppCore", ["AppCore", "FileFormats", "Archives", "Digests", "Geometry", "Imaging"],
      resources: [.copy("Goldens")]),
    tests("ONNX", ["ONNX", "FileFormats"]),
    tests("ONNXEngine", ["ONNXEngine", "ONNX", "NNRuntime", "FileFormats"]),
    tests("Evaluation", ["Evaluation", "FileFormats", "Geometry", "Imaging"], resources: [.copy("Goldens")]),
    tests(
      "Perception",
      ["Perception", "AppCore", "Models", "NNRuntime", "FileFormats", "Geometry", "Imaging"]),
    tests("Hostile", ["ParserTargets", "FileFormats"]),
    tests("Reporting", ["Reporting", "AppCore", "FileFormats", "Archives", "Geometry", "Imaging"]),
    tests("InferenceProtocol", ["InferenceProtocol", "FileFormats"]),
    tests(
      "InferenceServing", ["InferenceServing", "InferenceProtocol", "HTTPServing", "FileFormats"],
      computing: false),
    tests(
      "Serving", ["Serving", "HTTPServing", "Reporting", "AppCore", "FileFormats", "Archives"],
      computing: false),
    tests(
      "Command",
      [
        "ardf", "AppCore", "FileFormats", "Archives", "Digests", "OutputFolders", "NNRuntime", "Imaging",
        "ParserTargets", "Models", "NNVerification", "Evaluation", "Sharding", "HTTPServing",
        "InferenceProtocol",
        "Reporting", "Geometry",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], computing: false),
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
