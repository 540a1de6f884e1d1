/// A number of a module, or another plain value that decides what it computes.
package enum ModuleNumber: Sendable, Equatable {
  /// One number, or the same one for every axis.
  case number(Double)
  /// Any number of these, which is read apart.
  case range(ClosedRange<Double>)
  /// Several, in order.
  case numbers([Double])
  case flag(Bool)
  case text(String)
  /// Nothing is set.
  case none
  /// The layers that a layer of this index reads.
  case layers([Int], of: Int)
}

/// Required properties of a pickled network's module, so that the block that binds its tensors computes the same.
package struct ModuleStatement: Sendable, Equatable {
  /// Where a class comes from.
  package enum Library: Sendable, Equatable {
    /// PyTorch itself.
    case torch
    /// The network's authors.
    case authors
  }

  /// Classes that compute it, without their modules; empty for a statement about numbers alone.
  package private(set) var classes: [String]
  package let library: Library
  /// The numbers by their attributes.
  package private(set) var numbers: [String: ModuleNumber]
  /// The class's default values of absent attributes, where these differ from the needed ones.
  package let defaults: [String: ModuleNumber]
  /// The published network's activation, where the module is one.
  package let activation: Activation?
  /// Whether another activation is built as well.
  package let isExchangeable: Bool
  /// Whether a list of modules without it makes a network that cannot run, so that nothing else is computed.
  package let mayBeUntold: Bool
  /// Whether it serves training alone, with all that it holds.
  package let isForTraining: Bool

  /// A module of a class.
  package init(
    _ classes: String..., from library: Library = .authors, numbers: [String: ModuleNumber] = [:],
    defaults: [String: ModuleNumber] = [:], mayBeUntold: Bool = false, isForTraining: Bool = false
  ) {
    self.classes = classes
    self.library = library
    self.numbers = numbers
    self.defaults = defaults
    (activation, isExchangeable) = (nil, false)
    self.mayBeUntold = mayBeUntold
    self.isForTraining = isForTraining
  }

  /// An activation.
  package init(activation: Activation, isExchangeable: Bool) {
    (classes, library, numbers, defaults) = ([], .torch, [:], [:])
    self.activation = activation
    self.isExchangeable = isExchangeable
    (mayBeUntold, isForTraining) = (false, false)
  }

  /// This one and what another one says of the same module.
  func adding(_ other: ModuleStatement) -> ModuleStatement {
    var sum = classes.isEmpty && activation == nil ? other : self
    sum.numbers = numbers.merging(other.numbers) { _, new in new }
    return sum
  }
}
