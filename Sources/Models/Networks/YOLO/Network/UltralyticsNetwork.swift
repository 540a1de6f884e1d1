import FileFormats

/// Which of Ultralytics' networks a checkpoint's tensors are of, by the layers they belong to.
///
/// Checked against the networks that Ultralytics 8.4.190 builds.
package struct UltralyticsNetwork {
  /// The last layer's index; -1 where there is none.
  let head: Int
  /// Task of its head; nil for unknown heads.
  let task: YOLOTask?
  /// Whether a second head makes suppression needless.
  let isEndToEnd: Bool
  private let generation: String?
  private let otherTask: String

  private static let stem = "model.0.conv.weight"

  /// The network of these tensors; nil where the network is not one of Ultralytics.
  package init?(_ tensors: TensorShapes) {
    guard tensors[Self.stem] != nil || tensors["model.0.stem1.conv.weight"] != nil else { return nil }
    let head = tensors.names.compactMap(Self.layer).max() ?? -1
    self.head = head
    isEndToEnd = tensors.contains(prefix: "model.\(head).one2one_")
    otherTask = Self.otherTask(tensors, head: "model.\(head)")
    task = otherTask.isEmpty ? Self.task(tensors, head: "model.\(head)") : nil
    generation = Self.generation(tensors, head: head, task: task, isEndToEnd: isEndToEnd)
  }

  /// The generation and the task of a network that is supported; nil for others.
  package var supported: (generation: YOLOGeneration, task: YOLOTask)? {
    guard let task, let generation = YOLOGeneration.allCases.first(where: { $0.title == generation }),
      head == generation.headIndex(task)
    else { return nil }
    let needsEndToEnd = generation == .v26 && task != .classify
    return isEndToEnd == needsEndToEnd ? (generation, task) : nil
  }

  /// Name: `YOLO11-pose`.
  package var name: String {
    guard let generation else { return "another network of Ultralytics'" }
    guard supported == nil, let known = YOLOGeneration.allCases.first(where: { $0.title == generation })
    else {
      return generation + (task?.rawValue ?? otherTask)
    }
    guard let task else { return generation + otherTask }
    return generation + task.rawValue
      + (head == known.headIndex(task)
        ? ", without its end-to-end head" : ", with other layers than the published")
  }

  private static func layer(_ name: String) -> Int? {
    guard name.hasPrefix("model.") else { return nil }
    return integer(of: name.dropFirst("model.".count).prefix { $0 != "." }, in: 0...1 << 20)
  }

  private static func task(_ tensors: TensorShapes, head: String) -> YOLOTask {
    if tensors["\(head).linear.weight"] != nil { return .classify }
    if tensors.contains(prefix: "\(head).proto.") { return .segment }
    if tensors.contains(prefix: "\(head).one2one_cv4_kpts.") { return .pose }
    guard tensors.contains(prefix: "\(head).cv4.") || tensors.contains(prefix: "\(head).one2one_cv4.") else {
      return .detect
    }
    // An angle is one number per box.
    let last = tensors["\(head).cv4.0.2.weight"] ?? tensors["\(head).one2one_cv4.0.2.weight"]
    return last?.first == 1 ? .orientedBoxes : .pose
  }

  /// The suffix of a network whose task none here has; empty for others.
  private static func otherTask(_ tensors: TensorShapes, head: String) -> String {
    if tensors.contains(prefix: "\(head).savpe.") || tensors.contains(prefix: "\(head).reprta.") {
      return " with an open vocabulary (YOLOE)"
    }
    if tensors.contains(prefix: "\(head).cv4.0.logit_scale") {
      return " with an open vocabulary (YOLO-World)"
    }
    if tensors.contains(prefix: "\(head).cal_a") { return "-depth" }
    if tensors.contains(prefix: "\(head).classifier.") { return "-sem" }
    return ""
  }

  private static func generation(
    _ tensors: TensorShapes, head: Int, task: YOLOTask?, isEndToEnd: Bool
  ) -> String? {
    func has(_ name: String) -> Bool { tensors["model.\(name).conv.weight"] != nil }
    if tensors.contains(prefix: "model.\(head).decoder.") { return "RT-DETR" }
    // Attention in blocks comes before the classifier, or the layers that enlarge.
    let attention = task == .classify ? 9 : 10
    if has("\(attention).m.0.attn.qkv") {
      // Only YOLO26 has attention in its last block too. Its classifier is YOLO11's.
      let isLater = isEndToEnd || has("22.m.0.1.attn.qkv")
      return isLater ? "YOLO26" : "YOLO11"
    }
    if isEndToEnd { return has("10.attn.qkv") ? "YOLOv10" : nil }
    if has("6.m.0.0.attn.qkv") { return "YOLO12" }
    if has("12.cv2.0.cv1") { return "YOLOv9" }
    guard has("2.m.0.cv1") else { return nil }
    if has("2.cv3") { return "YOLOv5" }
    return head == (task == .classify ? 9 : 22) ? "YOLOv8" : nil
  }
}
