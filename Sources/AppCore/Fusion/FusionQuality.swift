import FileFormats
import Imaging

/// How well readings repeat each other, and how far they are off the truth.
///
/// Repeatability: how far metric depth is off readings that it was not shown; blocks of cells are hidden, predicted and
/// compared. It is not accuracy: errors that neighbors or whole frames share do not show.
///
/// The blocks lie on a fixed lattice, so that the same frame gives the same figures. They are blocks since a sensor's
/// neighboring cells err alike: next to a visible cell everything looks exact.
public struct FusionQuality: Sendable, Equatable {
  /// Errors of one way to predict the hidden readings, meters.
  public struct Errors: Sendable, Equatable {
    /// The median.
    public let median: Double
    /// The mean.
    public let mean: Double
    /// The mean at edges; nil without any.
    public let meanAtEdges: Double?
  }

  /// Hidden readings that were compared.
  public let cells: Int
  /// Those of them at edges: where readings around them, themselves included, differ by more than 5 %.
  public let edgeCells: Int
  /// Errors of the sensor alone: straight lines between the nearest visible readings along row and column.
  public let bilinear: Errors
  /// Errors of depth guided by readings.
  public let guided: Errors
  /// Errors of the fit alone.
  public let fit: Errors
  /// The median distance of the compared readings from the truth, meters, as the sensor's model has it; nil of a sensor
  /// that is not known.
  public let expectedError: Double?

  /// Sides of the hidden blocks and of the lattice's squares, cells: one cell in sixteen is hidden.
  static let block = (side: 4, period: 16)
  /// The median of a normal distribution's absolute values, in standard deviations.
  static let median = 0.6745
  /// Readings around a cell that differ by more than this factor are an edge.
  static let edge = 1.05
  /// Approximate number of pairs in the fit without the hidden readings.
  static let fittedPairs = 4096

  /// Measures what fusion with `options` makes of the hidden readings; nil where there are none to compare or nothing
  /// can be fitted without them.
  init?(relative: RelativeDepth, sensor: MetricDepth, options: FusionOptions) {
    let (width, height) = (sensor.width, sensor.height)
    let hidden = (0..<width * height).filter { cell in
      Self.isHidden(cell % width, cell / width) && sensor.states.elements[cell] == .measured
    }
    guard !hidden.isEmpty else { return nil }
    var states = sensor.states.elements
    for cell in hidden { states[cell] = .invalid }
    let visible = MetricDepth(
      values: sensor.values, states: Plane(width: width, height: height, elements: states))
    guard let alignment = Self.alignment(relative, visible, options) else { return nil }

    let cells = GuidedCells(
      alignment, relative, sensor: visible, noise: options.sensor.noise, fillsGaps: false)
    let nearest = cells.nearestReadings()
    var errors = (bilinear: [Double](), guided: [Double](), fit: [Double]())
    var isAtEdge: [Bool] = []
    var distances: [Double] = []
    for cell in hidden {
      guard let line = Self.between(nearest, cell, visible), let found = cells.predicted(cell, nearest) else {
        continue
      }
      let meters = Double(sensor.values.elements[cell])
      errors.bilinear.append(abs(line - meters))
      errors.guided.append(abs(1 / Double(found.inverse) - meters))
      errors.fit.append(abs(1 / Double(cells.guide[cell]) - meters))
      isAtEdge.append(Self.isAtEdge(cell, sensor))
      distances.append(meters)
    }
    guard !isAtEdge.isEmpty else { return nil }
    self.cells = isAtEdge.count
    edgeCells = isAtEdge.count { $0 }
    bilinear = Self.summary(errors.bilinear, isAtEdge)
    guided = Self.summary(errors.guided, isAtEdge)
    fit = Self.summary(errors.fit, isAtEdge)
    expectedError =
      options.sensor.kind == .unknown
      ? nil : Self.median * options.sensor.errors.deviation(at: quantile(distances, 0.5))
  }

  /// Whether a cell lies in a block of the lattice.
  static func isHidden(_ x: Int, _ y: Int) -> Bool {
    func lies(_ position: Int) -> Bool { (position + block.period / 2) % block.period < block.side }
    return lies(x) && lies(y)
  }

  /// The alignment without the hidden readings, from evenly thinned pairs.
  private static func alignment(
    _ relative: RelativeDepth, _ visible: MetricDepth, _ options: FusionOptions
  ) -> DepthAlignment? {
    let all = DepthFusion.material(relative, visible, options.model)
    return DepthFusion.fit(all.every(max(1, all.count / fittedPairs)), options: options).alignment
  }

  /// Meters on the line between the nearest readings along the row, and on that down the column, the shorter line
  /// counting more; nil without either.
  private static func between(_ nearest: NearestReadings, _ cell: Int, _ visible: MetricDepth) -> Double? {
    var sum = 0.0
    var weights = 0.0
    for axis in 0..<2 {
      guard let ahead = nearest.reading(from: cell, axis: axis, back: false),
        let behind = nearest.reading(from: cell, axis: axis, back: true)
      else { continue }
      let length = Double(ahead.steps + behind.steps)
      let (a, b) = (visible.values.elements[ahead.cell], visible.values.elements[behind.cell])
      sum += (Double(a) * Double(behind.steps) + Double(b) * Double(ahead.steps)) / (length * length)
      weights += 1 / length
    }
    return weights > 0 ? sum / weights : nil
  }

  private static func isAtEdge(_ cell: Int, _ sensor: MetricDepth) -> Bool {
    let (x, y) = (cell % sensor.width, cell / sensor.width)
    var (low, high) = (Float.infinity, Float(0))
    for row in max(0, y - 1)...min(sensor.height - 1, y + 1) {
      for column in max(0, x - 1)...min(sensor.width - 1, x + 1) where sensor.states[column, row] == .measured
      {
        low = min(low, sensor.values[column, row])
        high = max(high, sensor.values[column, row])
      }
    }
    return Double(high) > edge * Double(low)
  }

  private static func summary(_ errors: [Double], _ isAtEdge: [Bool]) -> Errors {
    var scratch: [Double] = []
    let edges = zip(errors, isAtEdge).filter(\.1).map(\.0)
    return Errors(
      median: AppCore.median(errors, scratch: &scratch), mean: errors.reduce(0, +) / Double(errors.count),
      meanAtEdges: edges.isEmpty ? nil : edges.reduce(0, +) / Double(edges.count))
  }

  /// Its repeatability as `fusion.json` has it.
  var json: JSONValue {
    [
      "cells": .integer(cells), "edgeCells": .integer(edgeCells), "bilinear": bilinear.json,
      "guided": guided.json, "fit": fit.json,
    ]
  }
}

extension FusionQuality.Errors {
  fileprivate var json: JSONValue {
    [
      "medianMeters": .rounded(median, decimals: 6), "meanMeters": .rounded(mean, decimals: 6),
      "edgeMeanMeters": .rounded(meanAtEdges, decimals: 6),
    ]
  }
}
