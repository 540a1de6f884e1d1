import AppCore
import FileFormats
import Foundation
import Imaging

/// A gray texture of waves, drawn as a moved camera sees it.
struct MovedTexture {
  private struct Wave {
    let x, y, phase: Double
  }

  private let waves: [Wave]
  /// The place around which there is texture, and how far; nil for everywhere.
  var patch: (x: Double, y: Double, reach: Double)?

  init(seed: UInt64, waves count: Int = 14) {
    var numbers = SplitMix64(seed: seed)
    waves = (0..<count).map { index in
      // Waves from 16 pixels long to 160.
      let length = 16 * pow(10, Double(index) / Double(count - 1))
      let angle = 2 * Double.pi * Double(numbers.unit())
      let turns = 2 * Double.pi / length
      return Wave(
        x: turns * cos(angle), y: turns * sin(angle), phase: 2 * Double.pi * Double(numbers.unit()))
    }
  }

  /// The level at a place.
  func level(_ x: Double, _ y: Double) -> Double {
    var sum = 0.0
    for wave in waves { sum += sin(wave.x * x + wave.y * y + wave.phase) }
    var strength = 90 / Double(waves.count).squareRoot()
    if let patch {
      let distance = ((x - patch.x) * (x - patch.x) + (y - patch.y) * (y - patch.y)).squareRoot()
      strength *= min(max((patch.reach - distance) / 20, 0), 1)
    }
    return 128 + strength * sum
  }

  /// The picture in which each place of the texture lies at its image.
  ///
  /// - `other`: parts of the picture, and how far their texture moved besides.
  func picture(
    width: Int, height: Int, _ map: Similarity = .identity,
    other: [(columns: Range<Int>, rows: Range<Int>, x: Double, y: Double)] = []
  ) -> RGBImage {
    let square = (map.turn * map.turn).sum()
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    for row in 0..<height {
      for column in 0..<width {
        let place = SIMD2(Double(column), Double(row)) - map.shift
        var x = (map.turn.x * place.x + map.turn.y * place.y) / square
        var y = (map.turn.x * place.y - map.turn.y * place.x) / square
        if let part = other.first(where: { $0.columns.contains(column) && $0.rows.contains(row) }) {
          x += part.x
          y += part.y
        }
        let value = UInt8(min(max(level(x, y).rounded(), 0), 255))
        let index = (row * width + column) * 3
        (pixels[index], pixels[index + 1], pixels[index + 2]) = (value, value, value)
      }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
  }
}
