import FileFormats
import Geometry

/// Settings of a detector in the files that Hugging Face writes beside an ONNX file: `config.json` and
/// `preprocessor_config.json`.
package struct DETRConfig: Sendable, Equatable {
  private static let configName = "config.json"
  private static let preprocessorName = "preprocessor_config.json"
  /// Pillow's number of bilinear resampling.
  private static let bilinear = 2
  /// The sides that DETR's pictures get where nothing says it.
  private static let usualSize = DETRPreprocessing.Size.shorterSide(800, longer: 1333)

  /// The design; nil where nothing says it.
  private(set) var design: DETRDesign?
  /// The names of the classes; nil where nothing says them.
  private(set) var classNames: [String]?
  private var preprocessor: JSONValue?

  /// The files beside the file at `path`, or, of a file in a folder `onnx`, in the folder above.
  package init(beside path: String) throws(DETRError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let above = folder.hasSuffix("onnx/") ? "\(folder)../" : nil
    func read(_ name: String) throws(DETRError) -> JSONValue? {
      if let json = try Self.read("\(folder)\(name)", name) { return json }
      guard let above else { return nil }
      return try Self.read("\(above)\(name)", name)
    }
    try self.init(config: read(Self.configName), preprocessor: read(Self.preprocessorName))
  }

  /// The contents of both files.
  package init(config: JSONValue?, preprocessor: JSONValue?) throws(DETRError) {
    self.preprocessor = preprocessor
    guard let config else { return }
    if let type = config["model_type"]?.string {
      guard let design = DETRDesign(rawValue: type) else {
        throw .config(
          file: Self.configName,
          reason: "model_type \"\(type)\" is not one of "
            + DETRDesign.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.design = design
    }
    if let names = config["id2label"], !names.isNull {
      do throws(ClassNames.Defect) {
        classNames = try ClassNames.names(PlainValue(names))
      } catch {
        throw .config(file: Self.configName, reason: "the names of id2label \(error)")
      }
    }
  }

  private static func read(_ path: String, _ name: String) throws(DETRError) -> JSONValue? {
    do {
      return try JSONValue.read(path: path)
    } catch FileError.missing {
      return nil
    } catch {
      throw .config(file: name, reason: "\(error)")
    }
  }

  /// How pictures become inputs.
  ///
  /// - Parameters:
  ///   - design: The network's.
  ///   - fixed: The size of the input that the ONNX file states, or the one asked for, which goes before all else.
  /// - Returns: The preparation of pictures.
  /// - Throws: `DETRError.config` for what is not supported.
  package func preprocessing(_ design: DETRDesign, fixed: PixelSize?) throws(DETRError) -> DETRPreprocessing {
    let square = PixelSize(width: ObjectInput.usualSide, height: ObjectInput.usualSide)
    var made = DETRPreprocessing(size: design.hasPlainPictures ? .exact(square) : Self.usualSize)
    let fields = preprocessor ?? .object([:])
    try check(fields)
    if let stated = try size(fields) { made.size = stated }
    if let fixed { made.size = .exact(fixed) }
    if fields["do_rescale"]?.bool == false {
      made.scale = 1
    } else if let factor = fields["rescale_factor"]?.number {
      made.scale = Float(factor)
    }
    if fields["do_normalize"]?.bool ?? !design.hasPlainPictures {
      made.mean = try channels(fields, "image_mean") ?? DepthPreprocessing.mean
      made.deviation = try channels(fields, "image_std") ?? DepthPreprocessing.deviation
      guard !made.deviation.contains(0) else { throw refused("image_std has a 0") }
    }
    return made
  }

  private func refused(_ reason: String) -> DETRError {
    .config(file: Self.preprocessorName, reason: reason)
  }

  /// Throws for what pictures are not prepared by.
  private func check(_ fields: JSONValue) throws(DETRError) {
    if let way = fields["resample"], !way.isNull, way.integer(in: 0...100) != Self.bilinear {
      throw refused("resample is another than \(Self.bilinear), bilinear")
    }
    if let pad = fields["pad_size"], !pad.isNull, fields["do_pad"]?.bool != false {
      throw refused("pad_size pads pictures, which is not supported")
    }
    if fields["do_resize"]?.bool == false { throw refused("do_resize is false") }
  }

  /// `size`, as newer and older files write it.
  private func size(_ fields: JSONValue) throws(DETRError) -> DETRPreprocessing.Size? {
    guard let size = fields["size"], !size.isNull else { return nil }
    let sides = 1...ObjectInput.sides.upperBound
    if let height = size["height"]?.integer(in: sides), let width = size["width"]?.integer(in: sides) {
      return .exact(PixelSize(width: width, height: height))
    }
    let longer =
      size["longest_edge"]?.integer(in: sides) ?? fields["max_size"]?.integer(in: sides) ?? 1333
    if let shorter = size["shortest_edge"]?.integer(in: sides) ?? size.integer(in: sides) {
      return .shorterSide(shorter, longer: longer)
    }
    throw refused("size has neither height and width nor shortest_edge, of 1 to \(sides.upperBound) pixels")
  }

  /// A number of each channel.
  private func channels(_ fields: JSONValue, _ name: String) throws(DETRError) -> [Float]? {
    guard let value = fields[name], !value.isNull else { return nil }
    guard let numbers = value.numbers, numbers.count == 3, numbers.allSatisfy(\.isFinite) else {
      throw refused("\(name) must be a list of three numbers")
    }
    return numbers.map { Float($0) }
  }
}
