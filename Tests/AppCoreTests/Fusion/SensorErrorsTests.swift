import AppCore
import FileFormats
import Foundation
import Testing

/// The models of sensors, by their sources and by the generator that draws scenes with them.
@Suite struct SensorErrorsTests {
  private static let meters = [0.5, 1, 2, 5]

  /// `tools/measure/boxes/sensors.json`.
  private static func drawn() throws -> NameTable<JSONValue> {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let file = root.appending(path: "tools/measure/boxes/sensors.json").standardized.path()
    return try #require(JSONValue.read(path: file).object)
  }

  private static func noise(_ stated: JSONValue?) -> SensorNoise {
    func number(_ name: String) -> Double { stated?[name]?.number ?? 0 }
    return SensorNoise(
      constant: number("constant"), share: number("share"), quadratic: number("quadratic"))
  }

  @Test(arguments: SensorModel.Kind.allCases) func theGeneratorDrawsByTheModel(kind: SensorModel.Kind) throws
  {
    let drawn = try Self.drawn()
    #expect(Set(drawn.keys) == Set(SensorModel.Kind.allCases.map(\.rawValue)))
    let stated = try #require(drawn[kind.rawValue])
    func number(_ name: String) throws -> Double { try #require(stated[name]?.number) }
    let errors = SensorModel(kind).errors
    #expect(errors.columns == stated["columns"]?.integer)
    #expect(errors.white == Self.noise(stated["white"]))
    #expect(errors.correlated == Self.noise(stated["correlated"]))
    #expect(errors.bias == Self.noise(stated["bias"]))
    #expect(try errors.correlationLength == number("correlationLength"))
    #expect(try errors.edgeSpread == number("edgeSpread"))
    #expect(try errors.edgeShift == number("edgeShift"))
    #expect(try errors.baseline == number("baseline"))
    #expect(try errors.focalLength == number("focal"))
    #expect(errors.edgeConfidence == stated["edgeConfidence"]?.array?.compactMap(\.number))
  }

  /// Errors shared by neighbors and errors of single cells add up to those that the sources measured on planes.
  @Test func partsMakeTheMeasuredWhole() {
    func whole(_ kind: SensorModel.Kind, _ meters: Double) -> Double {
      let errors = SensorModel(kind).errors
      let (white, alike) = (errors.white.deviation(at: meters), errors.correlated.deviation(at: meters))
      return (white * white + alike * alike).squareRoot()
    }
    for meters in Self.meters {
      // Khoshelham and Elberink 2012.
      #expect(abs(whole(.structuredLight, meters) / (0.001425 * meters * meters) - 1) < 1e-3)
      // A disparity off by .08 cells, a base of 50 mm, 425 cells.
      #expect(abs(whole(.stereo, meters) / (0.08 / (425 * 0.05) * meters * meters) - 1) < 1e-2)
    }
    // Azure Kinect: 17 mm at 3.86 m; a bound of 11 mm + .1 % shared out between frame and neighborhood.
    let tof = SensorModel(.tof).errors
    #expect(abs(tof.white.deviation(at: 3.86) - 0.017) < 2e-4)
    for meters in Self.meters {
      let alike = (tof.correlated.deviation(at: meters), tof.bias.deviation(at: meters))
      let sum = (alike.0 * alike.0 + alike.1 * alike.1).squareRoot()
      #expect(abs(sum / ((0.011 + 0.001 * meters) / 3.0.squareRoot()) - 1) < 0.02)
    }
  }

  /// A phone's map is a smooth picture: little of its error differs from cell to cell.
  @Test func aPhonesNoiseIsNotWhite() {
    let phone = SensorModel(.lidar).errors
    #expect(10 * phone.white.deviation(at: 2) < phone.correlated.deviation(at: 2))
    #expect(abs(phone.deviation(at: 2) - 0.0234) < 1e-3)
    let ideal = SensorModel().errors
    #expect(ideal.correlated.deviation(at: 2) == 0 && ideal.bias.deviation(at: 2) == 0)
  }
}
