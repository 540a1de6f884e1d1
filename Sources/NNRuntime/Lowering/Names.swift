// Both the engine and ONNX have tensors and values; here they have names of their own.

import NNRuntime
import ONNX

/// A tensor of an ONNX program.
typealias ONNXTensor = ONNX.Tensor
/// Value on an edge of an ONNX program.
typealias ONNXValue = ONNX.Value
/// An operator at its place in an ONNX program.
typealias ONNXStep = ONNX.Step
/// A map of the engine.
typealias MapValue = NNRuntime.Value
/// Weights of the engine.
typealias WeightTensor = NNRuntime.Tensor
