import NNRuntime

/// PyTorch modules of the layers here.
extension ModuleStatement {
  /// `Conv2d`, or `ConvTranspose2d`, without dilation, and with zeros beyond the edges.
  static func convolution(
    _ inputs: Int, _ outputs: Int, kernel: Int, stride: Int, padding: Int, groups: Int = 1,
    isTransposed: Bool = false
  ) -> ModuleStatement {
    ModuleStatement(
      isTransposed ? "ConvTranspose2d" : "Conv2d", from: .torch,
      numbers: [
        "in_channels": .count(inputs), "out_channels": .count(outputs), "kernel_size": .count(kernel),
        "stride": .count(stride), "padding": .count(padding), "dilation": .number(1),
        "groups": .count(groups),
        "output_padding": .number(0), "padding_mode": .text("zeros"), "transposed": .flag(isTransposed),
      ])
  }

  /// `BatchNorm2d` with running statistics; what it adds to a variance is read apart.
  static func batchNorm(_ channels: Int) -> ModuleStatement {
    ModuleStatement(
      "BatchNorm2d", "SyncBatchNorm", from: .torch,
      numbers: [
        "num_features": .count(channels), "affine": .flag(true), "track_running_stats": .flag(true),
        "eps": .range(1e-9...0.1),
      ])
  }

  /// `Linear`.
  static func linear(_ inputs: Int, _ outputs: Int) -> ModuleStatement {
    ModuleStatement(
      "Linear", from: .torch, numbers: ["in_features": .count(inputs), "out_features": .count(outputs)])
  }

  /// `MaxPool2d` that keeps the size.
  static func maxPool(kernel: Int) -> ModuleStatement {
    ModuleStatement(
      "MaxPool2d", from: .torch,
      numbers: [
        "kernel_size": .count(kernel), "stride": .number(1), "padding": .count(kernel / 2),
        "dilation": .number(1), "return_indices": .flag(false), "ceil_mode": .flag(false),
      ])
  }

  /// `Upsample` that repeats each value twice along both axes.
  static let doubling = ModuleStatement(
    "Upsample", from: .torch,
    numbers: [
      "size": .none, "scale_factor": .number(2), "mode": .text("nearest"), "align_corners": .none,
    ], mayBeUntold: true)

  /// An activation that must be this one.
  static func always(_ activation: Activation) -> ModuleStatement {
    ModuleStatement(activation: activation, isExchangeable: false)
  }
}

extension ModuleNumber {
  static func count(_ count: Int) -> ModuleNumber { .number(Double(count)) }
}
