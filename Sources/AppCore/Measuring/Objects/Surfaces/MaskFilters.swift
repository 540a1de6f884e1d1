import Geometry
import Imaging

/// The least value within a square of side 2 * radius + 1 around each cell; border cells extend outwards.
func minimum(of grid: Plane<Float>, radius: Int) -> Plane<Float> {
  let width = grid.width
  let height = grid.height
  var rows = grid.elements
  for y in 0..<height {
    for x in 0..<width {
      var least = grid.elements[y * width + x]
      for near in max(0, x - radius)...min(width - 1, x + radius) {
        least = min(least, grid.elements[y * width + near])
      }
      rows[y * width + x] = least
    }
  }
  var result = rows
  for y in 0..<height {
    for near in max(0, y - radius)...min(height - 1, y + radius) where near != y {
      for x in 0..<width {
        result[y * width + x] = min(result[y * width + x], rows[near * width + x])
      }
    }
  }
  return Plane(width: width, height: height, elements: result)
}

/// The share of non-zero pixels under each cell of a `width` x `height` grid laid over the mask, which is at
/// least as large; pixels count to the cell that holds their center.
func coverage(of mask: Plane<UInt8>, width: Int, _ height: Int) -> Plane<Float> {
  var set = [Int32](repeating: 0, count: width * height)
  var all = set
  let columns = (0..<mask.width).map(GridMapping(from: mask.width, to: width).cell(holdingCenterOf:))
  let rows = GridMapping(from: mask.height, to: height)
  for y in 0..<mask.height {
    let row = rows.cell(holdingCenterOf: y) * width
    for x in 0..<mask.width {
      all[row + columns[x]] += 1
      if mask.elements[y * mask.width + x] != 0 { set[row + columns[x]] += 1 }
    }
  }
  return Plane(
    width: width, height: height, elements: zip(set, all).map { $1 == 0 ? 0 : Float($0) / Float($1) })
}
