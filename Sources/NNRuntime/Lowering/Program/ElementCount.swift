import ONNX

/// The product of sizes; nil where one is negative, or there are more elements than a tensor may have.
func elementCount(_ sizes: [Int]) -> Int? { try? ONNX.Shape.count(sizes) }
