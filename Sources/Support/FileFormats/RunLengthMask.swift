/// A defect of a COCO run-length mask.
package enum RunLengthError: Error, Equatable, CustomStringConvertible {
  /// A character outside `0` to `o`, or a number that does not end.
  case malformedCounts(offset: Int)
  /// A run of negative length or a number too large.
  case invalidRun(index: Int)
  /// The runs do not cover the mask exactly.
  case wrongTotal(found: Int, expected: Int)
  /// A negative or too large size.
  case invalidSize(height: Int, width: Int)

  /// One line that names the defect.
  package var description: String {
    switch self {
    case .malformedCounts(let offset): "mask counts are malformed at character \(offset)"
    case .invalidRun(let index): "mask run \(index) has an impossible length"
    case .wrongTotal(let found, let expected): "mask runs cover \(counted(found, "pixel")) of \(expected)"
    case .invalidSize(let height, let width): "mask size \(height) x \(width) is impossible"
    }
  }
}

/// A binary mask as COCO keeps it: run lengths down the columns, zeros first.
package struct RunLengthMask: Sendable, Equatable {
  /// The largest mask that is decoded, four times the largest picture.
  package static let maximumPixels = 1 << 28

  /// Rows.
  package let height: Int
  /// Columns.
  package let width: Int
  /// Lengths of the runs of zeros and ones in turn, column by column.
  package let runs: [Int]

  /// Encodes a row-major mask, in which every byte but 0 counts as set.
  package init(height: Int, width: Int, mask: [UInt8]) {
    precondition(mask.count == height * width, "a mask of \(mask.count) bytes for \(height) x \(width)")
    var runs: [Int] = []
    var last = 0
    for start in Self.runStarts(mask.span, height: height, width: width) {
      runs.append(start - last)
      last = start
    }
    runs.append(mask.count - last)
    self.height = height
    self.width = width
    self.runs = runs
  }

  /// Encodes the part of a mask that may be set.
  ///
  /// - `height`, `width`: of the whole mask.
  /// - `columns`, `rows`: the part, which lies in the mask.
  /// - `elements`: row-major over the part; every byte but 0 counts as set.
  package init(height: Int, width: Int, columns: Range<Int>, rows: Range<Int>, elements: [UInt8]) {
    precondition(elements.count == columns.count * rows.count, "a part of another size")
    precondition(
      columns.lowerBound >= 0 && columns.upperBound <= width && rows.lowerBound >= 0
        && rows.upperBound <= height, "the part lies in the mask")
    let elements = elements.span
    var boundaries: [Int] = []
    for column in 0..<columns.count {
      let top = (columns.lowerBound + column) * height + rows.lowerBound
      var isSet = false
      for row in 0..<rows.count where (elements[row * columns.count + column] != 0) != isSet {
        boundaries.append(top + row)
        isSet.toggle()
      }
      if isSet { boundaries.append(top + rows.count) }
    }
    self.init(height: height, width: width, boundaries: boundaries)
  }

  /// A mask by the positions, counted down the columns, at which ones begin and end in turn, in order; two that are the
  /// same cancel.
  package init(height: Int, width: Int, boundaries: [Int]) {
    var kept: [Int] = []
    for boundary in boundaries {
      if kept.last == boundary { kept.removeLast() } else { kept.append(boundary) }
    }
    // Ones that reach the end have no end of their own.
    if kept.last == height * width { kept.removeLast() }
    var runs: [Int] = []
    runs.reserveCapacity(kept.count + 1)
    var last = 0
    for boundary in kept {
      precondition(boundary >= last && boundary <= height * width, "boundaries in order, within the mask")
      runs.append(boundary - last)
      last = boundary
    }
    runs.append(height * width - last)
    self.height = height
    self.width = width
    self.runs = runs
  }

  /// A mask by its runs, as uncompressed COCO annotations list them.
  package init(height: Int, width: Int, runs: [Int]) throws(RunLengthError) {
    let (total, overflow) = height.multipliedReportingOverflow(by: width)
    guard height >= 0, width >= 0, !overflow, total <= Self.maximumPixels else {
      throw .invalidSize(height: height, width: width)
    }
    var sum = 0
    for (index, run) in runs.enumerated() {
      guard run >= 0, run <= total else { throw .invalidRun(index: index) }
      sum += run
      guard sum <= total else { throw .wrongTotal(found: sum, expected: total) }
    }
    guard sum == total else { throw .wrongTotal(found: sum, expected: total) }
    self.height = height
    self.width = width
    self.runs = runs
  }

  /// Where ones begin and end, counted down the columns, in order.
  ///
  /// The mask is read by its rows, as it lies in memory; what is found in a row is then put to its columns.
  private static func runStarts(_ mask: Span<UInt8>, height: Int, width: Int) -> [Int] {
    let block = 64
    var found: [(row: Int, column: Int)] = []
    var counts = [Int](repeating: 0, count: width + 1)
    for row in 0..<height {
      // Above a column's first pixel is the last of the column before it.
      let above = row == 0 ? (height - 1) * width - 1 : (row - 1) * width
      for left in stride(from: 0, to: width, by: block) {
        let right = min(left + block, width)
        if row > 0, mask.matches(above + left, row * width + left, count: right - left) { continue }
        for column in left..<right {
          let wasSet = row + column > 0 && mask[above + column] != 0
          guard (mask[row * width + column] != 0) != wasSet else { continue }
          found.append((row, column))
          counts[column + 1] += 1
        }
      }
    }
    for column in 0..<width { counts[column + 1] += counts[column] }
    var starts = [Int](repeating: 0, count: found.count)
    for (row, column) in found {
      starts[counts[column]] = column * height + row
      counts[column] += 1
    }
    return starts
  }

  /// Decodes the compressed text of COCO annotations.
  package init(height: Int, width: Int, counts: String) throws(RunLengthError) {
    let (total, overflow) = height.multipliedReportingOverflow(by: width)
    guard height >= 0, width >= 0, !overflow, total <= Self.maximumPixels else {
      throw .invalidSize(height: height, width: width)
    }
    var runs: [Int] = []
    var sum = 0
    let bytes = Array(counts.utf8)
    var position = 0
    while position < bytes.count {
      var value = 0
      var shift = 0
      while true {
        // 12 groups of 5 bits are more than any mask needs and stay within 64 bits.
        guard position < bytes.count, shift < 60, (48..<112).contains(bytes[position]) else {
          throw .malformedCounts(offset: min(position, bytes.count))
        }
        let group = Int(bytes[position]) - 48
        value |= (group & 0x1f) << shift
        shift += 5
        position += 1
        if group & 0x20 == 0 {
          if group & 0x10 != 0 { value |= -1 << shift }
          break
        }
      }
      if runs.count > 2 { value += runs[runs.count - 2] }
      guard value >= 0, value <= total else { throw .invalidRun(index: runs.count) }
      guard sum + value <= total else {
        throw .wrongTotal(found: sum + value, expected: total)
      }
      sum += value
      runs.append(value)
    }
    guard sum == total else { throw .wrongTotal(found: sum, expected: total) }
    self.height = height
    self.width = width
    self.runs = runs
  }

  /// The compressed text, as pycocotools writes it.
  package var counts: String {
    var text: [UInt8] = []
    for (index, run) in runs.enumerated() {
      // From the fourth run on, the difference to the last run of the same value is kept.
      var value = index > 2 ? run - runs[index - 2] : run
      var hasMore = true
      while hasMore {
        var group = value & 0x1f
        value >>= 5
        hasMore = group & 0x10 != 0 ? value != -1 : value != 0
        if hasMore { group |= 0x20 }
        text.append(UInt8(group + 48))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The row-major mask of zeros and ones.
  package var mask: [UInt8] {
    var mask = [UInt8](repeating: 0, count: height * width)
    var position = 0
    for (index, run) in runs.enumerated() {
      if index % 2 == 1, run > 0 {
        var (column, row) = position.quotientAndRemainder(dividingBy: height)
        for _ in 0..<run {
          mask[row * width + column] = 1
          row += 1
          if row == height { (column, row) = (column + 1, 0) }
        }
      }
      position += run
    }
    return mask
  }

  /// The number of set pixels.
  package var area: Int { stride(from: 1, to: runs.count, by: 2).reduce(0) { $0 + runs[$1] } }
}

extension RunLengthError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
