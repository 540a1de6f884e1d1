/// Average precision as Ultralytics 8.4.190's `val` computes it, in its arithmetic.
///
/// It differs from COCO's in what a detection is matched with (crowds do not exist; labels overlap nowhere), in the
/// number of detections (all), and in the curve: from recall 0 at precision 1 on it is linear between detections, read at
/// 101 recalls, and its area taken by trapezia.
enum UltralyticsEvaluation {
  /// Matches a picture's detections of one class, best first, with its labels.
  ///
  /// - `overlaps`: of each detection with each label.
  static func match(scores: [Float], overlaps: [[Float]]) -> [MatchedDetection] {
    let thresholds = OverlapThresholds.single
    var taken = [UInt16](repeating: 0, count: overlaps.first?.count ?? 0)
    return zip(scores, overlaps).map { score, overlaps in
      var result = MatchedDetection(score: Double(score))
      for (index, threshold) in thresholds.enumerated() {
        let bit = UInt16(1) << index
        var choice: Int?
        var best: Float = 0
        for label in overlaps.indices where taken[label] & bit == 0 && overlaps[label] > best {
          best = overlaps[label]
          choice = label
        }
        guard let choice, best >= threshold else { continue }
        taken[choice] |= bit
        result.found |= bit
      }
      return result
    }
  }

  /// The average precision of a class; nil for one without labels.
  static func averagePrecision(_ detections: [MatchedDetection], labels: Int) -> AveragePrecision? {
    guard labels > 0 else { return nil }
    let order = detections.indices.sorted { (detections[$1].score, $0) < (detections[$0].score, $1) }
    return AveragePrecision(
      atThresholds: (0..<OverlapThresholds.count).map { index in
        guard !order.isEmpty else { return 0 }
        let bit = UInt16(1) << index
        var (recalls, precisions) = ([0.0], [1.0])
        var right = 0.0
        for (rank, position) in order.enumerated() {
          if detections[position].found & bit != 0 { right += 1 }
          recalls.append(right / Double(labels))
          precisions.append(right / Double(rank + 1))
        }
        recalls += [right / Double(labels), 1]
        precisions += [0, 0]
        return area(recalls, precisions)
      })
  }

  /// The area beneath the curve whose precision at a recall is the best there or above.
  private static func area(_ recalls: [Double], _ precisions: [Double]) -> Double {
    var best = precisions
    for index in best.indices.dropLast().reversed() { best[index] = max(best[index], best[index + 1]) }
    var sum = 0.0
    var (last, lastX) = (0.0, 0.0)
    var index = 0
    for step in 0...100 {
      let x = step == 100 ? 1 : Double(step) * 0.01
      // The last point at this recall or below.
      while index + 1 < recalls.count, recalls[index + 1] <= x { index += 1 }
      let value =
        recalls[index] == x || index + 1 == recalls.count
        ? best[index]
        : (best[index + 1] - best[index]) / (recalls[index + 1] - recalls[index]) * (x - recalls[index])
          + best[index]
      if step > 0 { sum += (x - lastX) * (value + last) / 2 }
      (last, lastX) = (value, x)
    }
    return sum
  }
}
