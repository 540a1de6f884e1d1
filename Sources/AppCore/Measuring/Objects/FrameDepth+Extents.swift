import FileFormats

extension FrameDepth {
  /// How large and how far a frame's objects are, measured on `threads` threads.
  ///
  /// - Returns: An extent for each detection, in their order; in meters, of those that depth is known of.
  public func extents(
    of detections: [Detection], in frame: CapturedFrame, options: ExtentOptions = ExtentOptions(),
    threads: Int = 1
  ) -> [ObjectExtent] {
    Parallel.team(of: threads) {
      let scene = DepthScene(frame: frame, fused: metric, estimated: estimated)
      return ExtentEstimator(scene: scene, options: options).extents(of: detections, threads: threads)
    }
  }
}
