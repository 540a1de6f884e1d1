/// Three rows of three numbers.
struct Matrix3: Equatable {
  let rows: [Double]

  /// The inverse; nil of a matrix that has none.
  var inverse: Matrix3? {
    let m = rows
    let determinant =
      m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
      + m[2] * (m[3] * m[7] - m[4] * m[6])
    guard determinant.isFinite, abs(determinant) > 1e-9 else { return nil }
    let cofactors = [
      m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
      m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
      m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3],
    ]
    return Matrix3(rows: cofactors.map { $0 / determinant })
  }

  static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
    var rows: [Double] = []
    for row in 0..<3 {
      for column in 0..<3 {
        rows.append((a * [b.rows[column], b.rows[3 + column], b.rows[6 + column]])[row])
      }
    }
    return Matrix3(rows: rows)
  }

  static func * (a: Matrix3, v: [Double]) -> [Double] {
    (0..<3).map { row in
      let first = a.rows[row * 3] * v[0]
      let second = a.rows[row * 3 + 1] * v[1]
      return first + second + a.rows[row * 3 + 2] * v[2]
    }
  }
}
