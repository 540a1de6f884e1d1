// swift-tools-version: 6.2
import PackageDescription

// A user's package, as tools/check/check-consumer builds it: outside of ours, from a tag, with what is public.
let ardf = Context.environment["ARDF_URL"] ?? "https://example.com/ardf"
let version = Version(Context.environment["ARDF_VERSION"] ?? "1.0.0")!

func program(_ name: String, _ products: [String]) -> Target {
  .executableTarget(name: name, dependencies: products.map { .product(name: $0, package: "ardf") })
}

let package = Package(
  name: "consumer",
  dependencies: [.package(url: ardf, exact: version)],
  targets: [
    program("consumer", ["Models"]),
    // The engine alone.
    program("Engine", ["NNRuntime"]),
    // What README, docs and DocC articles show, and the examples.
    program("Documented", ["Perception", "NNVerification", "ONNX"]),
    program("LoadNetwork", ["Models"]),
    program("DetectObjects", ["Models"]),
    program("TraceLayers", ["Models"]),
    program("ProfileLayers", ["Models"]),
    program("RunONNX", ["ONNX"]),
    program("LiveLoop", ["AppCore"]),
    program("TapToPlace", ["AppCore"]),
    program("LocateObjects", ["Perception"]),
  ]
)
