import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Operators {
  /// Texts.
  static let texts: [Operator] = [
    Operator("StringConcat", inputs: 2...2) { call in
      let pair = try Pair(call)
      guard pair.first.type == .string else { throw unsupported(pair.first.type) }
      return Tensor(pair.shape, pair.combined(String.self) { $0 + $1 })
    },
    Operator("StringSplit", ["delimiter", "maxsplit"], inputs: 1...1, outputs: 2...2) {
      (call: Call) throws -> [Tensor?] in
      let tensor = try call.tensor(0)
      guard tensor.type == .string else { throw unsupported(tensor.type) }
      let (delimiter, most) = (try call.string("delimiter", default: ""), try call.int("maxsplit") ?? Int.max)
      let parts = tensor.array(of: String.self).map { split($0, delimiter, most) }
      let width = parts.map(\.count).max() ?? 0
      return [
        Tensor(
          tensor.shape + [width], parts.flatMap { $0 + [String](repeating: "", count: width - $0.count) }),
        Tensor(tensor.shape, parts.map { Int64($0.count) }),
      ]
    },
    Operator(
      "StringNormalizer", ["case_change_action", "is_case_sensitive", "locale", "stopwords"], inputs: 1...1
    ) { call in
      let tensor = try call.tensor(0)
      guard tensor.type == .string, tensor.rank == 1 || tensor.rank == 2 && tensor.shape[0] == 1 else {
        throw ONNXError.malformed("an input that is not a row of texts")
      }
      let action = try call.choice("case_change_action", ["NONE", "LOWER", "UPPER"])
      let (isExact, stopwords) = (try call.flag("is_case_sensitive"), try call.strings("stopwords") ?? [])
      let folded = Set(stopwords.map { isExact ? $0 : $0.lowercased() })
      var kept = tensor.array(of: String.self).filter { !folded.contains(isExact ? $0 : $0.lowercased()) }
      if kept.isEmpty { kept = [""] }
      return Tensor(
        Array(tensor.shape.dropLast()) + [kept.count],
        kept.map { action == "LOWER" ? $0.lowercased() : action == "UPPER" ? $0.uppercased() : $0 })
    },
    Operator("RegexFullMatch", ["pattern"], inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type == .string else { throw unsupported(tensor.type) }
      let pattern = try call.string("pattern", default: "")
      guard
        let expression = try? Regex(pattern).wordBoundaryKind(.simple).matchingSemantics(.unicodeScalar)
      else {
        throw ONNXError.unsupported("the pattern \"\(pattern)\"")
      }
      return Tensor(tensor.shape, tensor.array(of: String.self).map { $0.wholeMatch(of: expression) != nil })
    },
    Operator(
      "TfIdfVectorizer",
      [
        "max_gram_length", "max_skip_count", "min_gram_length", "mode", "ngram_counts", "ngram_indexes",
        "pool_int64s", "pool_strings", "weights",
      ],
      inputs: 1...1, evaluate: vectorized),
  ]

  private static func split(_ text: String, _ delimiter: String, _ most: Int) -> [String] {
    if delimiter.isEmpty {
      return text.split(maxSplits: max(most, 0), whereSeparator: \.isWhitespace).map { part in
        // What is left after the last split keeps its spaces within, not at its end.
        let rest = part.drop(while: \.isWhitespace)
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
      }.filter { !$0.isEmpty }
    }
    if text.isEmpty { return [] }
    var (parts, rest) = ([String](), Substring(text))
    while parts.count < most, let range = rest.firstRange(of: delimiter) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }

  /// How often each run of words occurs, maybe with words skipped between.
  @Sendable private static func vectorized(_ call: Call) throws -> Tensor {
    let tensor = try call.tensor(0)
    let (least, most) = (
      try call.int("min_gram_length", default: 1), try call.int("max_gram_length", default: 1)
    )
    let (skips, mode) = (
      try call.int("max_skip_count", default: 0), try call.choice("mode", ["TF", "IDF", "TFIDF"])
    )
    guard let counts = try call.ints("ngram_counts"), let indexes = try call.ints("ngram_indexes"),
      tensor.rank == 1 || tensor.rank == 2, least > 0, most >= least, skips >= 0,
      indexes.allSatisfy({ $0 >= 0 && $0 < 1 << 28 })
    else { throw ONNXError.malformed("the vocabulary is incomplete") }
    let pool: [String]
    if let words = try call.strings("pool_strings") {
      pool = words
    } else {
      pool = (try call.exactInts("pool_int64s") ?? []).map { "\($0)" }
    }
    // Runs of words in the pool: those of one word first, then of two, and so on.
    var (runs, position) = ([(words: [String], index: Int)](), 0)
    for length in 1...max(counts.count, 1) {
      let end = length < counts.count ? counts[length] : pool.count
      while position + length <= end, end <= pool.count, runs.count < indexes.count {
        runs.append((Array(pool[position..<position + length]), indexes[runs.count]))
        position += length
      }
    }
    guard runs.count == indexes.count else {
      throw ONNXError.malformed("the vocabulary's counts do not fit its words")
    }
    let weights = try call.floats("weights") ?? [Double](repeating: 1, count: runs.count)
    guard weights.count == runs.count else {
      throw ONNXError.malformed("\(counted(weights.count, "weight")) for \(counted(runs.count, "run"))")
    }
    let words = tensor.type == .string ? tensor.array(of: String.self) : tensor.integers().map { "\($0)" }
    let (rows, width) = tensor.rank == 2 ? (tensor.shape[0], tensor.shape[1]) : (1, tensor.count)
    let size = (indexes.max() ?? -1) + 1
    var made = [Double](repeating: 0, count: try Shape.count([rows, size], bits: 64))
    for row in 0..<rows {
      let line = words[row * width..<(row + 1) * width]
      for (number, run) in runs.enumerated() where (least...most).contains(run.words.count) {
        var found = 0
        for step in 1...(run.words.count == 1 ? 1 : skips + 1) {
          let reach = (run.words.count - 1) * step
          for start in 0..<max(width - reach, 0)
          where run.words.indices.allSatisfy({ line[line.startIndex + start + $0 * step] == run.words[$0] }) {
            found += 1
          }
        }
        let place = row * size + run.index
        switch mode {
        case "TF": made[place] += Double(found)
        case "IDF": if found > 0 { made[place] = weights[number] }
        default: made[place] += Double(found) * weights[number]
        }
      }
    }
    return Tensor(.float, (tensor.rank == 2 ? [rows] : []) + [size], doubles: made)
  }
}
