import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// From logits to scores and classes.
///
/// Ported from transformers 5 (`post_process_object_detection` of the designs' image processors); equal scores are ordered by
/// query, then class.
package enum DETRScoring: Sendable, Equatable {
  /// A sigmoid of every logit; of all queries and classes the best `most`, nil for as many as there are queries.
  case eachClass(most: Int?)
  /// A softmax over the classes and, in the last place, no object; a query has its best class alone.
  case bestClass

  /// A query and its class.
  package struct Choice: Sendable, Equatable {
    package let query: Int
    package let classIndex: Int
    package let score: Float
  }

  /// The classes of networks with this number of logits per query.
  package func classCount(logits: Int) -> Int { self == .bestClass ? logits - 1 : logits }

  /// The choices whose scores are greater than `confidence`, best first.
  ///
  /// `logits`: (queries, logits a query), row-major.
  package func choices(_ logits: [Float], perQuery: Int, confidence: Float) -> [Choice] {
    let queries = perQuery > 0 ? logits.count / perQuery : 0
    let most: Int
    var found: [Choice] = []
    switch self {
    case .eachClass(let limit):
      most = limit ?? queries
      for index in logits.indices {
        let score = sigmoid(logits[index])
        guard score > confidence else { continue }
        found.append(Choice(query: index / perQuery, classIndex: index % perQuery, score: score))
      }
    case .bestClass:
      most = queries
      for query in 0..<queries {
        guard let best = Self.bestClass(logits[query * perQuery..<(query + 1) * perQuery]) else { continue }
        if best.score > confidence {
          found.append(Choice(query: query, classIndex: best.index, score: best.score))
        }
      }
    }
    // Stable: equal scores stay in their order.
    found.sort { $0.score > $1.score }
    return Array(found.prefix(most))
  }

  /// The likeliest class but the last, and its part of the softmax.
  private static func bestClass(_ row: ArraySlice<Float>) -> (index: Int, score: Float)? {
    guard let greatest = row.max(), let best = row.dropLast().max() else { return nil }
    let sum = row.reduce(0) { $0 + exp($1 - greatest) }
    let index = row.firstIndex(of: best).map { $0 - row.startIndex } ?? 0
    return (index, exp(best - greatest) / sum)
  }
}

/// A query's box: the center and the sides as shares of the picture's sides.
package struct DETRBox: Sendable, Equatable {
  package let x: Float
  package let y: Float
  package let width: Float
  package let height: Float

  /// The box of a query among all boxes, (queries, 4).
  package init(_ boxes: [Float], query: Int) {
    (x, y, width, height) = (
      boxes[4 * query], boxes[4 * query + 1], boxes[4 * query + 2], boxes[4 * query + 3]
    )
  }

  /// In pixels of a picture, or of an input, of this size; not clipped.
  package func rect<Frame>(in size: PixelSize) -> Rect<Frame> {
    let (width, height) = (Double(size.width), Double(size.height))
    return Rect(
      minX: Double(x - self.width / 2) * width, minY: Double(y - self.height / 2) * height,
      maxX: Double(x + self.width / 2) * width, maxY: Double(y + self.height / 2) * height)
  }
}
