/// Solves three equations given as rows of three coefficients and a right side; nil if they are degenerate.
func solvedThree(_ rows: [Double]) -> [Double]? {
  var m = rows
  for i in 0..<3 {
    guard let pivot = (i..<3).max(by: { abs(m[$0 * 4 + i]) < abs(m[$1 * 4 + i]) }),
      abs(m[pivot * 4 + i]) > 1e-12
    else { return nil }
    for j in 0..<4 { m.swapAt(i * 4 + j, pivot * 4 + j) }
    for other in 0..<3 where other != i {
      let factor = m[other * 4 + i] / m[i * 4 + i]
      for j in i..<4 { m[other * 4 + j] -= factor * m[i * 4 + j] }
    }
  }
  return [m[3] / m[0], m[7] / m[5], m[11] / m[10]]
}
