import NNRuntime

/// The inputs and the output of a planned depth network.
struct DepthPorts {
  let picture: GraphInput
  /// The sensor's depth; nil of a network that reads none.
  let prompt: GraphInput?
  let depth: GraphOutput

  init(_ plan: Plan) throws(PortError) {
    picture = try plan.input("input")
    prompt = plan.inputs.count > 1 ? try plan.input("prompt") : nil
    depth = try plan.output("depth")
  }
}
