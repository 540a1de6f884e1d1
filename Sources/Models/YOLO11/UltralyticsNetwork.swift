/// Which of Ultralytics' networks a checkpoint's tensors are of, by the layers they belong to.
///
/// Checked against the networks that Ultralytics 8.4.190 builds.
struct UltralyticsNetwork {
  /// What a network finds, by the parts of its head.
  enum Task: String {
    case detection = "", segmentation = "-seg", poses = "-pose", orientedBoxes = "-obb"
    case classification = "-cls"
  }

  /// The last layer's index; -1 where there is none.
  let head: Int
  let task: Task
  /// Whether a second head makes suppression needless.
  let isEndToEnd: Bool
  private let generation: String?

  init(_ tensors: TensorShapes) {
    let head = tensors.names.compactMap(Self.layer).max() ?? -1
    self.head = head
    isEndToEnd = tensors.contains(prefix: "model.\(head).one2one_")
    task = Self.task(tensors, head: "model.\(head)")
    generation = Self.generation(tensors, head: head, task: task, isEndToEnd: isEndToEnd)
  }

  /// What it is called: `YOLO11-pose`.
  var name: String {
    guard let generation else { return "a network of Ultralytics' other than YOLO11-seg" }
    return task == .detection ? "\(generation), which finds boxes without masks" : generation + task.rawValue
  }

  private static func layer(_ name: String) -> Int? {
    guard name.hasPrefix("model.") else { return nil }
    return Int(name.dropFirst("model.".count).prefix { $0 != "." })
  }

  private static func task(_ tensors: TensorShapes, head: String) -> Task {
    if tensors["\(head).linear.weight"] != nil { return .classification }
    if tensors.contains(prefix: "\(head).proto.") { return .segmentation }
    guard tensors.contains(prefix: "\(head).cv4.") else { return .detection }
    // An angle is one number a box.
    return tensors["\(head).cv4.0.2.weight"]?.first == 1 ? .orientedBoxes : .poses
  }

  private static func generation(
    _ tensors: TensorShapes, head: Int, task: Task, isEndToEnd: Bool
  ) -> String? {
    func has(_ name: String) -> Bool { tensors["model.\(name).conv.weight"] != nil }
    // Attention in blocks comes before the classifier, which YOLO26 has too, or the layers that enlarge.
    let attention = task == .classification ? 9 : 10
    if has("\(attention).m.0.attn.qkv") { return isEndToEnd ? "YOLO26" : "YOLO11" }
    if isEndToEnd { return has("10.attn.qkv") ? "YOLOv10" : nil }
    if has("6.m.0.0.attn.qkv") { return "YOLO12" }
    if has("12.cv2.0.cv1") { return "YOLOv9" }
    guard has("2.m.0.cv1") else { return nil }
    if has("2.cv3") { return "YOLOv5" }
    return head == (task == .classification ? 9 : 22) ? "YOLOv8" : nil
  }
}
