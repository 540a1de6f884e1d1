import FileFormats

/// A folder of results that a run may not write into.
package enum JobFolderError: ClassifiedError, Equatable, CustomStringConvertible {
  /// A part of this shard is there already.
  case partExists(path: String)
  /// The folder holds other files than those of a job.
  case foreign(folder: String)
  /// Results of a run are there already.
  case resultsExist(path: String)
  /// The folder holds results of several frames where one was asked for (`ofSeveral`), or the reverse.
  case holdsOtherResults(folder: String, ofSeveral: Bool)

  package var description: String {
    switch self {
    case .partExists(let path): "\(path): already exists; pass --resume to continue it"
    case .foreign(let folder): "\(folder): holds something else than parts of a job; choose another --out"
    case .resultsExist(let path):
      "\(path): already exists; pass --resume to continue where a run ended, --force to replace it"
    case .holdsOtherResults(let folder, let ofSeveral):
      "\(folder): holds the results of \(ofSeveral ? "several frames" : "a single frame"); choose another --out"
    }
  }

  package var fault: Fault { .cannotCreate }
}
