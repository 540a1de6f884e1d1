import FileFormats

/// Cost of every layer of a network, and the remainder.
public struct NetworkProfile: Sendable {
  /// Layers taken together, or one.
  public struct Row: Sendable {
    /// Module path of the layer, or what the layers have in common; overhead in brackets.
    public var name: String
    /// The field's name of the operation; empty for groups of several.
    public var operation: String
    /// How it is computed.
    public var algorithm: String
    /// Inputs and output.
    public var shape: String
    /// Layers that run in one iteration.
    public var calls: Int
    /// Multiplications and additions of an iteration as the layers are defined: 2 x MAC.
    public var operations: Double
    /// Bytes that have to be read and written at least once an iteration.
    public var bytes: Int
    /// Milliseconds of each iteration.
    public var times: [Double]
    /// Time that no layer takes.
    public var isOverhead: Bool

    /// Everything about a row.
    public init(
      name: String, operation: String = "", algorithm: String = "", shape: String = "", calls: Int = 1,
      operations: Double = 0, bytes: Int = 0, times: [Double], isOverhead: Bool = false
    ) {
      self.name = name
      self.operation = operation
      self.algorithm = algorithm
      self.shape = shape
      self.calls = calls
      self.operations = operations
      self.bytes = bytes
      self.times = times
      self.isOverhead = isOverhead
    }

    /// Milliseconds of all iterations.
    public var total: Double { times.reduce(0, +) }
    /// GFLOP/s at the median time; nil where nothing is multiplied.
    public var rate: Double? {
      let median = TimingSummary(times).median
      return operations > 0 && median > 0 ? operations / median / 1e6 : nil
    }
    /// Operations a byte; nil where there is no traffic.
    public var intensity: Double? { operations > 0 && bytes > 0 ? operations / Double(bytes) : nil }
  }

  /// The network's name.
  public let network: String
  /// Whose kernels ran: an instruction set, or `openblas`.
  public let kernels: String
  /// Threads that ran.
  public let threads: Int
  /// Layers in running order, then overhead.
  public let rows: [Row]
  /// Milliseconds of each profiled iteration from outside.
  public let wall: [Double]
  /// Milliseconds of iterations that were not profiled, interleaved with the profiled ones.
  public let plain: [Double]
  /// The machine's roof.
  public let ceiling: MachineCeiling
  /// Those of the profiled iterations of which every chunk was recorded.
  package let traces: [RunTrace]

  /// Everything about a profile; see the properties.
  package init(
    network: String, kernels: String, threads: Int, rows: [Row], wall: [Double], plain: [Double],
    ceiling: MachineCeiling, traces: [RunTrace]
  ) {
    precondition(wall.count == plain.count && !wall.isEmpty, "profiled and other iterations take turns")
    self.network = network
    self.kernels = kernels
    self.threads = threads
    self.rows = rows
    self.wall = wall
    self.plain = plain
    self.ceiling = ceiling
    self.traces = traces
  }

  /// The most by which the rows may miss the wall time, profiling may cost, and iterations may differ, as
  /// shares.
  public static let limits = (sum: 0.02, cost: 0.01, unrest: 0.1)

  /// The time of all rows over the wall time: 1 where nothing is missing.
  public var accounted: Double { rows.reduce(0) { $0 + $1.total } / wall.reduce(0, +) }

  /// The interquartile range of the wall time over its median: how restless the machine was.
  public var unrest: Double {
    let quartiles = TimingSummary(wall).quartiles
    return (quartiles.upper - quartiles.lower) / quartiles.median
  }

  /// Overhead of profiling: the median ratio of a profiled iteration to the plain one next to it, less 1.
  ///
  /// Neighbors share what else the machine does; medians over all iterations do not.
  public var cost: Double { TimingSummary(zip(wall, plain).map { $0 / $1 }).median - 1 }

  /// A row's share of the time of all rows.
  public func share(_ row: Row) -> Double {
    row.total / max(rows.reduce(0) { $0 + $1.total }, .leastNonzeroMagnitude)
  }

  /// A row's rate over the machine's; above 1 where an algorithm needs fewer products than the definition.
  public func peakShare(_ row: Row) -> Double? { row.rate.map { $0 / ceiling.peak } }
}

// MARK: Groups and order

extension NetworkProfile {
  /// Property by which layers are grouped.
  public enum Grouping: String, CaseIterable, Sendable {
    /// The operation, the part of the network, input and output shape, the algorithm.
    case op, block, shape, algorithm
  }

  /// Sort key of rows; `order` is the order of execution.
  public enum Order: String, CaseIterable, Sendable {
    case order, time, name, flops, rate, bytes
  }

  /// The profile with layers taken together; overhead stays as it is.
  public func grouped(by grouping: Grouping) -> NetworkProfile {
    var groups: [Row] = []
    var places: [String: Int] = [:]
    for row in rows where !row.isOverhead {
      let key = Self.key(row, grouping)
      guard let place = places[key] else {
        places[key] = groups.count
        var group = row
        group.name = key
        groups.append(group)
        continue
      }
      groups[place].merge(row)
    }
    return with(rows: groups + rows.filter(\.isOverhead))
  }

  /// The profile in another order, overhead last; with `top`, only as many layers.
  public func sorted(by order: Order, top: Int? = nil) -> NetworkProfile {
    let layers = rows.filter { !$0.isOverhead }
    // Stable: equal rows stay in running order.
    func ordered(_ before: (Row, Row) -> Bool) -> [Row] {
      layers.enumerated().sorted {
        before($0.element, $1.element) || !before($1.element, $0.element) && $0.offset < $1.offset
      }.map(\.element)
    }
    let sorted =
      switch order {
      case .order: layers
      case .time: ordered { $0.total > $1.total }
      case .name: ordered { $0.name < $1.name }
      case .flops: ordered { $0.operations > $1.operations }
      case .rate: ordered { $0.rate ?? 0 > $1.rate ?? 0 }
      case .bytes: ordered { $0.bytes > $1.bytes }
      }
    let overhead = rows.filter(\.isOverhead)
    guard let top, top < sorted.count else { return with(rows: sorted + overhead) }
    var rest = sorted[top]
    for row in sorted[(top + 1)...] { rest.merge(row) }
    rest.name = "(\(counted(sorted.count - top, "other")))"
    rest.operation = ""
    rest.algorithm = ""
    rest.shape = ""
    return with(rows: sorted[..<top] + [rest] + overhead)
  }

  private func with(rows: [Row]) -> NetworkProfile {
    NetworkProfile(
      network: network, kernels: kernels, threads: threads, rows: rows, wall: wall, plain: plain,
      ceiling: ceiling, traces: traces)
  }

  private static func key(_ row: Row, _ grouping: Grouping) -> String {
    switch grouping {
    case .op: row.operation
    case .block: block(row.name)
    case .shape: row.shape
    case .algorithm: row.algorithm
    }
  }

  /// The part of a network that a layer belongs to: its path up to the first number, or three steps of it.
  static func block(_ name: String) -> String {
    let parts = name.split(separator: ".")
    let number = parts.firstIndex { $0.allSatisfy(\.isNumber) } ?? 2
    return parts.prefix(number + 1).joined(separator: ".")
  }
}

extension NetworkProfile.Row {
  fileprivate mutating func merge(_ other: Self) {
    calls += other.calls
    operations += other.operations
    bytes += other.bytes
    for index in times.indices { times[index] += other.times[index] }
    if operation != other.operation { operation = "" }
    if algorithm != other.algorithm { algorithm = "" }
    if shape != other.shape { shape = "" }
  }
}
