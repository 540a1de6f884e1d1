import FileFormats
import NNRuntime

/// A part of a tensor decoded from the network's raw outputs, compared with the reference's.
public struct ComparedOutput: Sendable {
  /// The tensor's name in the reference, and the step that makes it.
  public let name, stage: String
  /// Part of the tensor that was compared.
  public let part: DecodedPart
  /// The tensor's shape in the reference.
  public let shape: [Int]
  /// How far it is from the reference.
  public let difference: TensorDifference
  /// The tolerance.
  public let tolerance: LayerTolerance
  /// Whether it was decoded from the reference's raw outputs, so that the decoding alone is compared.
  public let isOwn: Bool
  /// Elements of the reference's part that are not finite numbers.
  public let nonFinite: Int

  /// Whether it is within its tolerance.
  public var passed: Bool { tolerance.accepts(difference) }

  /// The divergence, in a sentence.
  package var text: String {
    "\(printableName(name)), \(part.name) (\(stage)"
      + (isOwn ? ", of the reference's own raw outputs" : "") + "): relative L2 "
      + "\(scientific(difference.relativeL2)), max abs \(scientific(difference.maximumAbsolute)) at "
      + "\(difference.location) (found \(scientific(difference.found)), expected "
      + "\(scientific(difference.expected)))"
      + (nonFinite > 0
        ? "; \(counted(nonFinite, "number of the reference is", "numbers of the reference are")) not finite"
        : "")
  }

  var json: JSONValue {
    let own: JSONValue = [
      "name": .string(name), "stage": .string(stage), "part": .string(part.name),
      "quantity": .string(part.quantity.rawValue), "shape": .array(shape.map(JSONValue.integer)),
      "ofReference": .bool(isOwn), "passed": .bool(passed), "nonFinite": .integer(nonFinite),
    ]
    return own.merging(difference.json, tolerance)
  }
}

extension DecodedTensor {
  /// Compares each part with the reference's tensor.
  ///
  /// - Throws: `VerificationError` where the reference's cannot be the same tensor.
  func compared(
    as name: String, with file: ReferenceFile, isOwn: Bool, _ precision: Precision,
    _ tolerances: ToleranceTable
  ) throws -> [ComparedOutput] {
    let (found, reference) = try file.tensor(name, atMost: elements.count)
    let batch = found.count - shape.count
    guard found.count >= shape.count, Array(found.suffix(shape.count)) == shape,
      found.prefix(max(0, batch)).allSatisfy({ $0 == 1 })
    else { throw VerificationError.shape(name, found: found, expected: [1] + shape) }
    let row = elements.count / max(1, shape[0])
    return parts.map { part in
      var (ours, theirs): ([Float], [Float]) = ([], [])
      for index in part.rows {
        ours += elements[index * row..<(index + 1) * row]
        theirs += reference[index * row..<(index + 1) * row]
      }
      let difference = TensorDifference(ours, to: theirs) { flat in
        // Where it is in the reference's axes.
        var rest = part.rows[flat / row] * row + flat % row
        return found.reversed().map { extent in
          defer { rest /= extent }
          return rest % extent
        }.reversed()
      }
      let stated = tolerances.tolerance(of: [name, "\(name).\(part.name)"])
      return ComparedOutput(
        name: name, stage: stage, part: part, shape: found, difference: difference,
        tolerance: stated ?? .output(part.quantity, isOwn: isOwn, precision), isOwn: isOwn,
        nonFinite: theirs.count { !$0.isFinite })
    }
  }
}
