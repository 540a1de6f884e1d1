/// Color information of a file.
enum StatedColors: Equatable {
  /// Nothing.
  case untold
  /// An ICC profile.
  case icc([UInt8])
  /// Numbers of ITU-T H.273.
  case coded(primaries: Int, transfer: Int)

  /// How its colors become those of sRGB; nil where they are, or where it is not known.
  var conversion: ColorConversion? {
    switch self {
    case .untold: nil
    case .icc(let bytes): ICCProfile(bytes)?.conversion
    case .coded(let primaries, let transfer): ColorConversion(primaries: primaries, transfer: transfer)
    }
  }
}
