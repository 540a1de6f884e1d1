import FileFormats

/// The variables by which schedulers tell the processes of an array apart.
package enum ArrayIndex: String, CaseIterable, Sendable {
  /// `sbatch --array=0-99`.
  case slurm = "SLURM_ARRAY_TASK_ID"
  /// A Kubernetes Job with `completionMode: Indexed`.
  case kubernetes = "JOB_COMPLETION_INDEX"
  case awsBatch = "AWS_BATCH_JOB_ARRAY_INDEX"
  /// GNU parallel counts from 1.
  case parallel = "PARALLEL_SEQ"

  /// The first process's number.
  ///
  /// Slurm leaves it to the user: here an array counts from 0, as in its manual.
  package var first: Int { self == .parallel ? 1 : 0 }
}

/// Why no shard can be made out from what a scheduler says.
package enum ArrayIndexError: Error, Equatable, CustomStringConvertible {
  case none(count: Int)
  case several([ArrayIndex], count: Int)
  case notANumber(ArrayIndex, value: String)
  case outside(ArrayIndex, value: CheckedInt, count: Int)

  package var description: String {
    switch self {
    case .none(let count):
      "--shard auto/\(count): no scheduler says which process of an array this is ("
        + ArrayIndex.allCases.map(\.rawValue).joined(separator: ", ") + "); give --shard I/\(count)"
    case .several(let variables, let count):
      "--shard auto/\(count): \(variables.map(\.rawValue).joined(separator: " and ")) are both set; say which is meant: "
        + "--shard I/\(count), with I from 1"
    case .notANumber(let variable, let value):
      "--shard auto: \(variable.rawValue) is \"\(printableName(value))\", not a whole number of 64 bits; give --shard I/N"
    case .outside(.slurm, let value, let count) where value == CheckedInt(count):
      "--shard auto/\(count): SLURM_ARRAY_TASK_ID is \(value), and arrays count from 0; start it with --array=0-\(count - 1), or "
        + "give --shard $SLURM_ARRAY_TASK_ID/\(count) of one that counts from 1"
    case .outside(let variable, let value, let count) where value < CheckedInt(variable.first):
      "--shard auto/\(count): \(variable.rawValue) is \(value), and its processes count from \(variable.first); give "
        + "--shard I/\(count), with I from 1"
    case .outside(let variable, let value, let count):
      "--shard auto/\(count): \(variable.rawValue) is \(value), of a larger array than \(count); give the number of "
        + "shards that the job had from its beginning"
    }
  }
}

extension Shard {
  /// The part of `count` that falls to this process of an array.
  ///
  /// The count is the user's to say: an array that is submitted again for what is left is shorter.
  ///
  /// - `environment`: The process's variables.
  package init(ofArray count: Int, environment: [String: String]) throws(ArrayIndexError) {
    let set = ArrayIndex.allCases.filter { !(environment[$0.rawValue] ?? "").isEmpty }
    guard let variable = set.first, let value = environment[variable.rawValue] else {
      throw .none(count: count)
    }
    guard set.count == 1 else { throw .several(set, count: count) }
    guard let index = CheckedInt(value) else { throw .notANumber(variable, value: value) }
    let number = index.within(variable.first...Shard.most).map { $0 - variable.first + 1 }
    guard let shard = number.flatMap({ Shard(number: $0, of: count) }) else {
      throw .outside(variable, value: index, count: count)
    }
    self = shard
  }
}

extension ArrayIndexError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
