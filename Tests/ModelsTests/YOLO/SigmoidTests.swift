import Foundation
import Models
import Testing

@Suite("The logistic function of many numbers at once") struct SigmoidTests {
  @Test("as that of double precision, everywhere") func everywhere() {
    var worst = 0.0
    for step in stride(from: -110.0, through: 110, by: 0.007) {
      let x = Float(step)
      let found = HeadDecoding.sigmoids(SIMD16(repeating: x))[3]
      worst = max(worst, abs(Double(found) - 1 / (1 + exp(-Double(x)))))
    }
    #expect(worst < 3e-7, "\(worst)")
  }

  @Test("ends and NaN") func ends() {
    var x = SIMD16<Float>.zero
    (x[1], x[2], x[3]) = (.infinity, -.infinity, .nan)
    let found = HeadDecoding.sigmoids(x)
    #expect(found[0] == 0.5)
    #expect(found[1] == 1)
    #expect(found[2] >= 0 && found[2] < 1e-37)
    #expect(found[3].isNaN)
  }
}
