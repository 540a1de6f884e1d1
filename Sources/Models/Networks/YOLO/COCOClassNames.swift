/// The 80 object classes of COCO in the order of published checkpoints.
public let cocoClassNames = [
  "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
  "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow",
  "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee",
  "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
  "tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple",
  "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch",
  "potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard",
  "cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase",
  "scissors", "teddy bear", "hair drier", "toothbrush",
]

/// COCO's numbers of its classes.
package enum COCONumbers {
  /// The numbers of the 80 classes in the order of published checkpoints: 1 to 90 with gaps.
  package static let published: [Int] = {
    let unused: Set<Int> = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]
    return (1...90).filter { !unused.contains($0) }
  }()

  /// Names of networks that have a class for every number from 0 to 90; unused ones are `N/A`.
  package static let names: [String] = {
    var names = [String](repeating: "N/A", count: 91)
    for (number, name) in zip(published, cocoClassNames) { names[number] = name }
    return names
  }()
}
