import FileFormats

/// Average precision by COCO's rule: what pycocotools' `COCOeval` says for all areas and 100 detections.
///
/// A picture's detections of a class, the best 100, best first, each take the label of the class that they overlap
/// most, above the threshold and not taken yet; labels that can be missed come before crowds, which any number of
/// detections may lie in, neither right nor wrong. Precision is read at 101 recalls, 0 to 1, each the best at that
/// recall or above, and averaged over classes that have a label that can be missed ([Lin et al.,
/// 2014](https://arxiv.org/abs/1405.0312)).
enum COCOEvaluation {
  /// Detections of a picture and class that count.
  static let mostDetections = 100
  /// Recalls at which precision is read.
  private static let recalls: [Double] = (0...100).map { $0 == 100 ? 1 : Double($0) * 0.01 }

  /// The same where key points are compared.
  static let mostPoses = 20

  /// Matches a picture's detections of one class with its labels.
  ///
  /// - `scores`: confidences of detections, in the order in which ties are resolved.
  /// - `isCrowd`: of each label.
  /// - `isIgnored`: of each label, whether it is neither missed nor found; by default crowds are.
  /// - `overlap`: of the detection and the label at these positions; of a crowd the share of the detection that lies in
  ///   it.
  static func match(
    scores: [Double], isCrowd: [Bool], isIgnored: [Bool]? = nil, most: Int = mostDetections,
    overlap: (_ detection: Int, _ label: Int) -> Double
  ) -> [MatchedDetection] {
    let isIgnored = isIgnored ?? isCrowd
    // Sorted stably, whatever the standard library does.
    let order = scores.indices.sorted { (scores[$1], $0) < (scores[$0], $1) }.prefix(most)
    let labels = isIgnored.indices.filter { !isIgnored[$0] } + isIgnored.indices.filter { isIgnored[$0] }
    var taken = [UInt16](repeating: 0, count: isCrowd.count)
    return order.map { detection in
      var result = MatchedDetection(score: scores[detection])
      let overlaps = isCrowd.indices.map { overlap(detection, $0) }
      for (index, threshold) in OverlapThresholds.double.enumerated() {
        let bit = UInt16(1) << index
        var best = min(threshold, 1 - 1e-10)
        var choice: Int?
        for label in labels {
          if taken[label] & bit != 0, !isCrowd[label] { continue }
          if let choice, !isIgnored[choice], isIgnored[label] { break }
          guard overlaps[label] >= best else { continue }
          best = overlaps[label]
          choice = label
        }
        guard let choice else { continue }
        taken[choice] |= bit
        result.found |= bit
        if isIgnored[choice] { result.ignored |= bit }
      }
      return result
    }
  }

  /// The average precision of a class; nil for one without a label that can be missed.
  ///
  /// - `detections`: picture by picture, of each the best first.
  static func averagePrecision(_ detections: [MatchedDetection], labels: Int) -> AveragePrecision? {
    guard labels > 0 else { return nil }
    let order = detections.indices.sorted {
      (detections[$1].score, $0) < (detections[$0].score, $1)
    }
    return AveragePrecision(
      atThresholds: (0..<OverlapThresholds.count).map { index in
        let bit = UInt16(1) << index
        var recalls: [Double] = []
        var precisions: [Double] = []
        var (right, wrong) = (0.0, 0.0)
        for position in order where detections[position].ignored & bit == 0 {
          if detections[position].found & bit != 0 { right += 1 } else { wrong += 1 }
          recalls.append(right / Double(labels))
          precisions.append(right / (right + wrong + Double.ulpOfOne))
        }
        return interpolated(recalls, precisions)
      })
  }

  /// The mean of the best precisions at 101 recalls.
  private static func interpolated(_ recalls: [Double], _ precisions: [Double]) -> Double {
    var best = precisions
    for index in best.indices.dropLast().reversed() { best[index] = max(best[index], best[index + 1]) }
    var position = 0
    var sum = 0.0
    for recall in Self.recalls {
      while position < recalls.count, recalls[position] < recall { position += 1 }
      guard position < recalls.count else { break }
      sum += best[position]
    }
    return sum / Double(Self.recalls.count)
  }
}
