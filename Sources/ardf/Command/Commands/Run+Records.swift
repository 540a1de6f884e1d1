import AppCore
import ArgumentParser
import FileFormats
import NNRuntime
import OutputFolders
import Sharding

/// `ardf run --keep` and `--from`: one record per frame, in a part that many processes write theirs beside.
extension Run {
  func validateRecords() throws {
    let option = batch.keep == nil ? "--from" : "--keep"
    guard sources.isEmpty || batch.from == nil else {
      throw ValidationError("--from FILE stands in place of SOURCES; leave one of the two out")
    }
    guard format.format == .ardf else {
      throw ValidationError(
        "\(option) keeps records of JSON; make tables of them (docs/guides/scale.md), and leave --format out")
    }
    guard !masksRle else {
      throw ValidationError("--masks-rle belongs to standard output; give --keep masks")
    }
    guard batch.from == nil || picture.depthMap == nil && frame.isEmpty else {
      throw ValidationError(
        "\(frame.isEmpty ? "--depth-map" : "--frame") belongs to one SOURCE; of a list, give each line what is its own"
      )
    }
  }

  func keepRecords(_ requests: [EffectRequest]) async throws {
    let shard = try batch.shard()
    let keep = batch.keep ?? .all
    let (work, inputs, paths) = try work(of: shard)
    try OutputConflict.check(output.out, against: paths + inputFiles.compactMap(\.self))
    let folder = try PartFolder(
      output.out, shard: shard, stage: batch.stage, resume: batch.resume, keepsFiles: keep == .all)
    let pool = compute.makePool()
    let job = try job(requests, folder: nil, paths: [:], pool: pool)
    let workers = FrameWorkers(threads: pool.threads, frames: work.total?.count ?? .max)
    let jobs = workers.threads.map { job.running(on: ThreadPool(threads: $0)) }
    let run = PartRun(folder: folder, job: job, budget: batch.maxErrors)
    // A list that comes from a pipe may keep the process waiting; a signal then ends it at once.
    try await run.run(work, workers: workers, jobs: jobs, isInterruptible: batch.from != "-")
    try inputs?.checkAllRead()
  }

  /// The frames of a shard, and the paths from which they are read.
  private func work(of shard: Shard) throws -> (PartWork, RunInputs?, paths: [String]) {
    if let from = batch.from {
      return (try PartWork(manifest: from, shard: shard) { try open($0) }, nil, from == "-" ? [] : [from])
    }
    if let stream = try streaming.source(among: sources) {
      throw CommandError.usage(
        "\(stream.name): a film, pipe, camera or address is not a list of captures; leave --keep out, or take its pictures "
          + "out first")
    }
    let inputs = try RunInputs(sources, names: frame) {
      sensor.told(try picture.open($0, limits: limits.capture))
    }
    return (PartWork(inputs.frames[shard.positions(of: inputs.frames.count)]), inputs, inputs.paths)
  }

  /// Opens a capture of a list.
  private func open(_ entry: ManifestEntry) throws -> any CaptureSource {
    var picture = picture
    (picture.depthMap, picture.confidenceMap) = (entry.depth, entry.confidence)
    if let camera = entry.intrinsics { (picture.intrinsics, picture.fov) = (camera, nil) }
    return sensor.told(try picture.open(entry.path, limits: limits.capture))
  }
}
