import Models
import NNRuntime

/// What went wrong within a network, where the fault is its weights' or the machine's; else the error itself.
func innermost(_ error: any Error) -> any Error {
  switch error {
  case NetworkError.yolo(let error): innermost(error)
  case NetworkError.depth(let error): innermost(error)
  case YOLOError.weights(let error), DepthError.weights(let error): error
  case YOLOError.plan(let error), DepthError.plan(let error): error
  default: error
  }
}
