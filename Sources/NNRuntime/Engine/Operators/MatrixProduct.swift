import NNKernelInterface

/// Products of matrices that are both computed, one for each place of the axes before the last two.
struct MatrixProduct: VectorOperator {
  /// (..., rows, depth) and (..., depth, columns).
  var a, b: MapWalk
  /// Whether products lie side by side in the channels of a row's pixel; if not, one after another.
  var isSideBySide: Bool

  private var rows: Int { a.axes[a.axes.count - 2].size }
  private var depth: Int { a.axes[a.axes.count - 1].size }
  private var columns: Int { b.axes[b.axes.count - 1].size }
  private var batches: Int { a.axes.dropLast(2).reduce(1) { $0 * $1.size } }

  var name: String { "matmul" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { depth }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard a.axes.count >= 2, a.axes.count == b.axes.count, depth == b.axes[b.axes.count - 2].size,
      a.axes.dropLast(2).map(\.size) == b.axes.dropLast(2).map(\.size)
    else { throw .wrongAttributes("matrices of \(a.axes.map(\.size)) by \(b.axes.map(\.size))") }
    guard a.fits(inputs[0]), b.fits(inputs[1]) else {
      throw .wrongInputs(inputs, needed: "beyond which the matrices reach")
    }
    return isSideBySide
      ? try .result(height: 1, width: rows, channels: batches * columns)
      : try .result(height: batches, width: rows, channels: columns)
  }

  func operations(_ node: Node, _ shapes: [MapShape]) -> Double {
    2 * Double(batches) * Double(rows) * Double(depth) * Double(columns)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<MatrixTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let stride = builder.plan.assignment.locations[node.output].pixelStride
    let walks = [builder.placed(a, in: node.inputs[0]), builder.placed(b, in: node.inputs[1])]
    let starts = walks.map { TaskMemory(array: $0.starts) }
    func operand(_ index: Int) -> MatrixTask.Operand {
      unsafe MatrixTask.Operand(
        base: UnsafePointer(builder.pointer(node.inputs[index])), starts: starts[index].pointer,
        rowStride: walks[index].axes[a.axes.count - 2].stride,
        columnStride: walks[index].axes[a.axes.count - 1].stride)
    }
    let task = unsafe MatrixTask(
      batches: batches, rows: rows, depth: depth, columns: columns, a: operand(0), b: operand(1),
      output: builder.pointer(node.output), outputBatchStride: isSideBySide ? columns : rows * stride,
      outputRowStride: stride)
    let kept: [AnyObject] = starts + [builder.arena] + builder.operands
    let work = max(1, min(rows, MatrixTask.itemRows) * depth * MatrixTask.itemColumns)
    return builder.step(
      layer.index, kernel, TaskMemory(task, keeping: kept), items: task.items,
      together: max(1, 1_000_000 / work))
  }

  /// Items are blocks of a product.
  static let plain = PlainKernel<MatrixTask>(
    name: "matrices-f32", computes: "products of computed matrices", tolerance: .product
  ) { task, share in
    for item in share.items {
      let (panel, rowBlock) = item.quotientAndRemainder(dividingBy: task.rowBlocks)
      let (batch, block) = panel.quotientAndRemainder(dividingBy: task.columnBlocks)
      let columns = block * MatrixTask.itemColumns..<min((block + 1) * MatrixTask.itemColumns, task.columns)
      let a = unsafe task.a.base + task.a.starts[batch]
      let b = unsafe task.b.base + task.b.starts[batch]
      for row in rowBlock * MatrixTask.itemRows..<min((rowBlock + 1) * MatrixTask.itemRows, task.rows) {
        for column in columns {
          var sum = 0.0
          for k in 0..<task.depth {
            let (x, y) = unsafe (
              a[row * task.a.rowStride + k * task.a.columnStride],
              b[k * task.b.rowStride + column * task.b.columnStride]
            )
            sum += Double(x) * Double(y)
          }
          unsafe task.output[batch * task.outputBatchStride + row * task.outputRowStride + column] =
            Float(sum)
        }
      }
    }
  }
}

extension Value {
  /// Products of matrices, of this map's and those of `other`: one for each place of the axes before the last two.
  ///
  /// `a` is (..., rows, depth), `b` is (..., depth, columns), with the same axes before. The result has a pixel for each
  /// product and row, with the columns as channels; where products lie side by side, a pixel for each row with the
  /// columns of all products.
  public func matrixProduct(
    _ a: MapWalk, by other: Value, _ b: MapWalk, sideBySide: Bool = false, name: String
  ) -> Value {
    applying(MatrixProduct(a: a, b: b, isSideBySide: sideBySide), to: [other], name: name)
  }
}
