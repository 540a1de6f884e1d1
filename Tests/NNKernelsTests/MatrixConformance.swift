import NNKernelInterface
import NNRuntime
import Testing

/// Products of computed matrices to check: the second of `batches` lies beside the first in a row's pixel.
struct MatrixCase: CustomTestStringConvertible, Sendable {
  var batches, rows, depth, columns: Int
  /// Whether the first is given by its columns, and the second by its columns.
  var leftTurned = false, rightTurned = false

  var testDescription: String {
    "\(batches) of \(rows)x\(depth) by \(depth)x\(columns)\(leftTurned ? ", left turned" : "")"
      + (rightTurned ? ", right turned" : "")
  }
}

@Suite("Products of computed matrices keep to their definition")
struct MatrixConformance {
  static let cases: [MatrixCase] = [
    .init(batches: 1, rows: 1, depth: 1, columns: 1),
    .init(batches: 2, rows: 5, depth: 7, columns: 16, rightTurned: true),
    .init(batches: 3, rows: 49, depth: 32, columns: 49, rightTurned: true),
    .init(batches: 1, rows: 200, depth: 33, columns: 37),
    .init(batches: 2, rows: 13, depth: 130, columns: 50, leftTurned: true),
    .init(batches: 2, rows: 9, depth: 20, columns: 3, leftTurned: true, rightTurned: true),
  ]

  @Test(arguments: Implementation.all, cases)
  func products(_ implementation: Implementation, _ test: MatrixCase) throws {
    for kernel in try implementation.catalogue().kernels(of: MatrixTask.self) { products(kernel, test) }
  }

  private func products(_ kernel: Kernel<MatrixTask>, _ test: MatrixCase) {
    func map(_ rows: Int, _ columns: Int, turned: Bool, seed: Int) -> GuardedMap {
      GuardedMap(
        height: 1, width: turned ? columns : rows, channels: test.batches * (turned ? rows : columns), gap: 3,
        seed: seed)
    }
    let left = map(test.rows, test.depth, turned: test.leftTurned, seed: 1)
    let right = map(test.depth, test.columns, turned: test.rightTurned, seed: 2)
    let lefts = (0..<test.batches).map { $0 * (test.leftTurned ? test.rows : test.depth) }
    let rights = (0..<test.batches).map { $0 * (test.rightTurned ? test.depth : test.columns) }

    func run(split: Bool) -> [Float] {
      let output = GuardedMap(height: test.batches, width: test.rows, channels: test.columns, gap: 2)
      return unsafe lefts.withUnsafeBufferPointer { leftStarts in
        unsafe rights.withUnsafeBufferPointer { rightStarts in
          let (l, r) = (left.pixelStride, right.pixelStride)
          var task = unsafe MatrixTask(
            batches: test.batches, rows: test.rows, depth: test.depth, columns: test.columns,
            a: MatrixTask.Operand(
              base: left.input.base, starts: leftStarts.baseAddress!, rowStride: test.leftTurned ? 1 : l,
              columnStride: test.leftTurned ? l : 1),
            b: MatrixTask.Operand(
              base: right.input.base, starts: rightStarts.baseAddress!, rowStride: test.rightTurned ? 1 : r,
              columnStride: test.rightTurned ? r : 1),
            output: output.output.base, outputBatchStride: test.rows * output.pixelStride,
            outputRowStride: output.pixelStride)
          for begin in stride(from: 0, to: task.items, by: split ? 1 : task.items) {
            kernel.run(&task, begin..<(split ? begin + 1 : task.items))
          }
          #expect(output.guardsAreIntact)
          return output.values
        }
      }
    }

    var expected: [Expected] = []
    for batch in 0..<test.batches {
      for row in 0..<test.rows {
        for column in 0..<test.columns {
          var sum = Expected()
          for k in 0..<test.depth {
            let a = test.leftTurned ? left[0, k, lefts[batch] + row] : left[0, row, lefts[batch] + k]
            let b =
              test.rightTurned ? right[0, column, rights[batch] + k] : right[0, k, rights[batch] + column]
            sum.value += Double(a) * Double(b)
            sum.magnitude += abs(Double(a) * Double(b))
          }
          expected.append(sum)
        }
      }
    }
    let whole = run(split: false)
    expectClose(
      whole, expected, tolerance: kernel.tolerance.sums, "\(kernel.fullName), \(test.testDescription)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }
}
