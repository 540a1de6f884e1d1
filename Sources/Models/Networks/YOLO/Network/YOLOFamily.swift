import FileFormats
import Geometry
import Imaging
import NNRuntime

/// YOLOv8, YOLO11 and YOLO26 that find objects.
package enum YOLOFamily: ObjectNetworkFamily {
  package static var task: NetworkTask { .objects(self) }
  package static let convertible = ["YOLOv8, YOLO11 and YOLO26 (detect, -seg, -pose, -obb)"]

  package static func recognize(_ tensors: TensorShapes) -> Kinship? {
    UltralyticsNetwork(tensors).map { network in
      network.supported.map { $0.task != .classify } ?? false ? .member : .relative(network.name)
    }
  }

  package static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    try YOLOCheckpoint.identify(source, hints)
  }

  package static func build(
    _ weights: WeightStore, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any LayeredNetwork {
    do throws(YOLOError) {
      return try YOLODetector(weights: weights, options: options, pool: pool)
    } catch {
      throw .yolo(error)
    }
  }

  package static func trainedSide(of weights: WeightStore) -> Int {
    ObjectInput.trainedSide(of: weights) ?? ObjectInput.usualSide
  }

  package static func detector(
    _ weights: WeightStore, input: ObjectInput, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInObjectNetwork {
    do throws(YOLOError) {
      return try YOLODetector(
        weights: weights,
        input: input.isRectangle
          ? .minimalRectangle(side: input.side) : .fixed(height: input.side, width: input.side),
        suppressing: input.isSuppressed, options: options, pool: pool)
    } catch {
      throw .yolo(error)
    }
  }
}

/// YOLOv8 and YOLO11 that classify pictures.
package enum YOLOClassifierFamily: ClassNetworkFamily {
  package static var task: NetworkTask { .classes(self) }
  package static let convertible = ["YOLOv8-cls", "YOLO11-cls"]

  /// Recognizes classifiers; other networks belong to the other family.
  package static func recognize(_ tensors: TensorShapes) -> Kinship? {
    UltralyticsNetwork(tensors)?.supported?.task == .classify ? .member : nil
  }

  package static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    try YOLOCheckpoint.identify(source, hints)
  }

  package static func build(
    _ weights: WeightStore, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any LayeredNetwork {
    do throws(YOLOError) {
      return try YOLOClassifier(weights: weights, options: options, pool: pool)
    } catch {
      throw .yolo(error)
    }
  }

  package static func trainedSide(of weights: WeightStore) -> Int {
    ObjectInput.trainedSide(of: weights) ?? YOLOClassifier.publishedSide
  }

  package static func classifier(
    _ weights: WeightStore, side: Int, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any ClassNetwork {
    do throws(YOLOError) {
      return try YOLOClassifier(weights: weights, side: side, options: options, pool: pool)
    } catch {
      throw .yolo(error)
    }
  }
}

extension YOLODetector: LayeredNetwork {
  package var decoding: any DecodedNetwork { DetectorDecoding(architecture) }

  package var standardSize: PixelSize { PixelSize(width: 640, height: 640) }

  package func inputSize(for picture: PixelSize) -> PixelSize { standardSize }

  /// The one input has no second beside it.
  package func layeredSession(for size: PixelSize, prompt: PixelSize?) throws(NetworkError) -> Session {
    do throws(YOLOError) { return try session(for: size) } catch { throw .yolo(error) }
  }

  package func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize)
    throws(PortError)
  {
    inputs.fill(try inputs.input("input")) { target in
      let letterbox = Letterbox(
        imageSize: PixelSize(width: picture.width, height: picture.height), networkSize: size)
      YOLOPreprocessing.fill(&target, with: picture, letterbox: letterbox)
    }
  }
}

extension YOLOClassifier: LayeredNetwork {
  package var decoding: any DecodedNetwork {
    PlainDecoding.classes(module: "model.\(architecture.headIndex)")
  }

  package var standardSize: PixelSize { PixelSize(width: Self.publishedSide, height: Self.publishedSide) }

  package func inputSize(for picture: PixelSize) -> PixelSize { standardSize }

  /// The one input has no second beside it, and is square.
  package func layeredSession(for size: PixelSize, prompt: PixelSize?) throws(NetworkError) -> Session {
    do throws(YOLOError) {
      guard size.width == size.height else { throw .notSquare(height: size.height, width: size.width) }
      return try session(side: size.width)
    } catch {
      throw .yolo(error)
    }
  }

  package func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize)
    throws(PortError)
  {
    inputs.fill(try inputs.input("input")) {
      YOLOPreprocessing.fillMiddleSquare(&$0, with: picture, side: size.width)
    }
  }
}
