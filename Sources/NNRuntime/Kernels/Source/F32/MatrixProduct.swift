// Products of two computed matrices: sixteen columns of the second are brought side by side once, and multiplied with tiles
// of the first one's rows.

import NNKernelInterface

/// Where the pieces of the scratch memory start, in floats.
private struct MatrixScratch {
  /// Sixteen columns (depth, 16), a tile's rows (rows, depth), its products (rows, 16), and row pointers.
  var rows, sums, pointers, count: Int

  @inline(__always)
  init(_ task: MatrixTask) {
    rows = MatrixTask.itemColumns * task.depth
    // A row that is read by vectors may be read beyond its end.
    sums = rows + InstructionSet.tileRows * task.depth + 16
    pointers = (sums + InstructionSet.tileRows * MatrixTask.itemColumns + 15) / 16 * 16
    count = pointers + 2 * InstructionSet.tileRows
  }
}

func matrixScratch(_ task: UnsafePointer<MatrixTask>) -> Int { MatrixScratch(task.pointee).count }

func matrixProduct(_ taskPointer: UnsafePointer<MatrixTask>, _ share: Share) {
  let task = taskPointer.pointee
  let (scratch, layout) = (share.scratch, MatrixScratch(taskPointer.pointee))
  let (rowBlocks, columnBlocks) = (task.rowBlocks, task.columnBlocks)
  var packed = -1
  for item in share.items {
    let panel = item / rowBlocks
    let (batch, column) = (panel / columnBlocks, panel % columnBlocks * MatrixTask.itemColumns)
    let columns = min(MatrixTask.itemColumns, task.columns - column)
    if panel != packed {
      packed = panel
      packColumns(
        task.b.base + task.b.starts[batch] + column * task.b.columnStride, task.b, depth: task.depth,
        columns: columns, to: scratch)
    }
    let first = item % rowBlocks * MatrixTask.itemRows
    let last = min(first + MatrixTask.itemRows, task.rows)
    let output = task.output + batch * task.outputBatchStride + column
    var row = first
    while row < last {
      let rows = min(InstructionSet.tileRows, last - row)
      multiplyRows(
        task, layout, task.a.base + task.a.starts[batch] + row * task.a.rowStride, rows, scratch)
      for index in 0..<rows {
        let sums = scratch + layout.sums + index &* MatrixTask.itemColumns
        let target = output + (row &+ index) &* task.outputRowStride
        if columns == MatrixTask.itemColumns {
          store(load(sums), target)
        } else {
          storePartial(load(sums), target, count: columns)
        }
      }
      row += rows
    }
  }
}

/// Brings columns side by side, with zeros after the last.
@inline(never)
private func packColumns(
  _ source: UnsafePointer<Float>, _ operand: MatrixTask.Operand, depth: Int, columns: Int,
  to target: UnsafeMutablePointer<Float>
) {
  if operand.columnStride == 1 {
    for k in 0..<depth {
      let line = source + k &* operand.rowStride
      store(
        columns == MatrixTask.itemColumns ? load(line) : loadPartial(line, count: columns),
        target + k &* MatrixTask.itemColumns)
    }
    return
  }
  if columns < MatrixTask.itemColumns {
    for k in 0..<depth { store(Vector(repeating: 0), target + k &* MatrixTask.itemColumns) }
  }
  for column in 0..<columns {
    let line = source + column &* operand.columnStride
    for k in 0..<depth { target[k &* MatrixTask.itemColumns &+ column] = line[k &* operand.rowStride] }
  }
}

/// The products of some rows with the packed columns.
@inline(__always)
private func multiplyRows(
  _ task: MatrixTask, _ layout: MatrixScratch, _ first: UnsafePointer<Float>, _ rows: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let pointers = UnsafeMutableRawPointer(scratch + layout.pointers)
    .assumingMemoryBound(to: UnsafePointer<Float>.self)
  for row in 0..<rows {
    let source = first + row &* task.a.rowStride
    if task.a.columnStride == 1 {
      pointers[row] = source
    } else {
      let copy = scratch + layout.rows + row &* task.depth
      for k in 0..<task.depth { copy[k] = source[k &* task.a.columnStride] }
      pointers[row] = UnsafePointer(copy)
    }
  }
  multiplyTile(
    (
      segments: 1, depth: task.depth, rows: UnsafePointer(pointers), rowCapacity: InstructionSet.tileRows,
      columns: UnsafePointer(scratch), columnStride: MatrixTask.itemColumns, output: scratch + layout.sums,
      outputStride: MatrixTask.itemColumns, ahead: 0, streamsColumns: false
    ),
    rows: rows, columns: MatrixTask.itemColumns)
}
