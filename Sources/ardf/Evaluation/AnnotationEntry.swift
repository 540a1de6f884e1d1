import FileFormats

extension AnnotationFile {
  /// One object of the file with the place where it stands, for messages.
  struct Entry {
    let file: String
    private let value: JSONValue
    private let place: String
    /// Distance outside of the picture, in its sides, that coordinates may have.
    private static let reach = 1.0
    /// Ids may be any integer: they are compared only.
    private static let numbers = Int.min...Int.max

    init(_ value: JSONValue, file: String, place: String) {
      (self.value, self.file, self.place) = (value, file, place)
    }

    func bad(_ key: String, _ expected: String) -> LabelError {
      .badAnnotation(file: file, place: "\"\(key)\" of \(place)", expected: expected)
    }

    func integer(_ key: String) throws(LabelError) -> Int {
      guard let number = value[key]?.integer(in: Self.numbers) else { throw bad(key, "a whole number") }
      return number
    }

    func side(_ key: String) throws(LabelError) -> Int {
      let number = try integer(key)
      guard (1...1 << 20).contains(number) else { throw bad(key, "a number of pixels") }
      return number
    }

    func string(_ key: String) throws(LabelError) -> String {
      guard let text = value[key]?.string else { throw bad(key, "a text") }
      return text
    }

    /// A name that does not lead out of its folder.
    func relativeName(_ key: String) throws(LabelError) -> String {
      let name = try string(key)
      let components = name.split(separator: "/", omittingEmptySubsequences: false)
      guard !name.utf8.contains(0), !components.contains(where: { $0.isEmpty || $0 == ".." }) else {
        throw bad(key, "the name of a file in the folder of pictures")
      }
      return name
    }

    /// The object of an annotation, with so many key points.
    func object(
      _ classIndex: Int, _ size: (width: Int, height: Int), keypoints count: Int?
    ) throws(LabelError) -> LabeledObject {
      guard let box = value["bbox"]?.numbers, box.count == 4, box[2] >= 0, box[3] >= 0,
        isNear([box[0], box[1], box[0] + box[2], box[1] + box[3]], size)
      else { throw bad("bbox", "x, y, width and height in pixels of the picture") }
      let crowd = value["iscrowd"]
      guard let isCrowd = crowd.map({ $0.bool ?? ($0.integer(in: 0...1) == 1) }) ?? false as Bool?,
        crowd.map({ $0.bool != nil || $0.integer(in: 0...1) != nil }) ?? true
      else { throw bad("iscrowd", "0 or 1") }
      return LabeledObject(
        classIndex: classIndex, box: COCOBox(x: box[0], y: box[1], width: box[2], height: box[3]),
        region: try region(size), isCrowd: isCrowd, keypoints: try keypoints(count, size),
        area: count == nil ? nil : try area())
    }

    /// Square pixels of an annotation with key points, which their distances are compared with.
    private func area() throws(LabelError) -> Double {
      guard let area = value["area"]?.number, area.isFinite, area >= 0 else {
        throw bad("area", "square pixels")
      }
      return area
    }

    private func keypoints(
      _ count: Int?, _ size: (width: Int, height: Int)
    ) throws(LabelError) -> [LabeledKeypoint] {
      guard let count else { return [] }
      let numbers = value["keypoints"]?.numbers ?? []
      let points = stride(from: 0, to: numbers.count - 2, by: 3).map { index in
        LabeledKeypoint(x: numbers[index], y: numbers[index + 1], isLabeled: numbers[index + 2] > 0)
      }
      guard numbers.count == 3 * count,
        points.allSatisfy({ !$0.isLabeled || isNear([$0.x, $0.y], size) })
      else { throw bad("keypoints", "x, y in pixels and whether it is labeled, of each of \(count)") }
      return points
    }

    /// The pixels; nil where the annotation has none.
    private func region(_ size: (width: Int, height: Int)) throws(LabelError) -> LabeledRegion? {
      let key = "segmentation"
      guard let segmentation = value[key], !segmentation.isNull else { return nil }
      if let outlines = segmentation.array {
        let outlines = outlines.filter { $0.array?.isEmpty != true }
        guard !outlines.isEmpty else { return nil }
        let corners = outlines.compactMap(\.numbers)
        guard corners.count == outlines.count,
          corners.allSatisfy({ $0.count >= 6 && $0.count % 2 == 0 && isNear($0, size) })
        else { throw bad(key, "outlines of three corners or more in pixels of the picture, or a mask") }
        return .polygons(corners)
      }
      guard segmentation["size"]?.numbers == [Double(size.height), Double(size.width)] else {
        throw bad(key, "outlines, or a mask (size, counts) of the picture's height and width")
      }
      do throws(RunLengthError) {
        if let text = segmentation["counts"]?.string {
          return .mask(try RunLengthMask(height: size.height, width: size.width, counts: text))
        }
        let runs = segmentation["counts"]?.integers(in: 0...size.height * size.width)
        guard let runs else { throw .malformedCounts(offset: 0) }
        return .mask(try RunLengthMask(height: size.height, width: size.width, runs: runs))
      } catch {
        throw bad(key, "a mask whose runs fit the picture (\(error))")
      }
    }

    /// Whether x and y in turn lie in the picture or near it.
    private func isNear(_ coordinates: [Double], _ size: (width: Int, height: Int)) -> Bool {
      let sides = [Double(size.width), Double(size.height)]
      return coordinates.enumerated().allSatisfy { index, value in
        let side = sides[index % 2]
        return value >= -Self.reach * side && value <= (1 + Self.reach) * side
      }
    }
  }
}
