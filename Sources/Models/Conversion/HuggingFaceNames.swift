import FileFormats
import NNRuntime

/// Depth Anything and Prompt Depth Anything in the names of Hugging Face's transformers, turned into the originals'.
package enum HuggingFaceNames {
  /// Whether the names are those of transformers' `DepthAnythingForDepthEstimation`.
  package static func areUsed(by names: some Collection<String>) -> Bool {
    names.contains { $0.hasPrefix("backbone.encoder.layer") } && names.contains { $0.hasPrefix("neck.") }
  }

  /// The tensors under the original's names, query, key and value joined into one projection.
  ///
  /// Names that have no counterpart stay as they are.
  package static func renamed<Value: JoinableTensor>(
    _ tensors: [String: Value]
  ) throws(CheckpointErrorAt) -> [String: Value] {
    var result: [String: Value] = [:]
    for name in tensors.keys.sorted() {
      guard let tensor = tensors[name] else { continue }
      let original: String
      let value: Value
      if let part = queryPart(name) {
        original = part.original
        value = try joined(part.parts, tensors)
      } else if isKeyOrValue(name) {
        continue
      } else {
        original = originalName(name)
        value = tensor
      }
      guard result.updateValue(value, forKey: original) == nil else {
        throw CheckpointErrorAt(.duplicateName, original)
      }
    }
    return result
  }

  /// How a release of transformers names the three parts of an attention's projection.
  private struct ProjectionNames {
    let query, key, value: String
    var all: [String] { [query, key, value] }
  }

  private static let projections = [
    ProjectionNames(
      query: ".attention.attention.query.", key: ".attention.attention.key.",
      value: ".attention.attention.value."),
    ProjectionNames(query: ".attention.q_proj.", key: ".attention.k_proj.", value: ".attention.v_proj."),
  ]

  /// For a query's name: the name of the joined projection, and those of its three parts.
  private static func queryPart(_ name: String) -> (original: String, parts: [String])? {
    for projection in projections {
      guard let range = name.firstRange(of: projection.query) else { continue }
      let (head, tail) = (name[..<range.lowerBound], name[range.upperBound...])
      return (originalName("\(head).attn.qkv.\(tail)"), projection.all.map { "\(head)\($0)\(tail)" })
    }
    return nil
  }

  private static func isKeyOrValue(_ name: String) -> Bool {
    projections.contains { name.contains($0.key) || name.contains($0.value) }
  }

  private static func joined<Value: JoinableTensor>(
    _ names: [String], _ tensors: [String: Value]
  ) throws(CheckpointErrorAt) -> Value {
    var parts: [Value] = []
    for name in names {
      guard let part = tensors[name] else { throw CheckpointErrorAt(.missing, name) }
      parts.append(part)
    }
    let first = parts[0]
    guard !first.shape.isEmpty, parts.allSatisfy({ $0.dtype == first.dtype }) else {
      throw CheckpointErrorAt(.mixedTypes, names[0])
    }
    for (part, name) in zip(parts, names) where part.shape != first.shape {
      throw CheckpointErrorAt(.wrongShape(found: part.shape, expected: first.shape), name)
    }
    return Value.joined(parts)
  }

  private static let replacements: [(from: String, to: String)] = [
    ("backbone.embeddings.cls_token", "pretrained.cls_token"),
    ("backbone.embeddings.mask_token", "pretrained.mask_token"),
    ("backbone.embeddings.position_embeddings", "pretrained.pos_embed"),
    ("backbone.embeddings.patch_embeddings.projection.", "pretrained.patch_embed.proj."),
    ("backbone.encoder.layer.", "pretrained.blocks."),
    ("backbone.encoder.layers.", "pretrained.blocks."),
    ("backbone.layernorm.", "pretrained.norm."),
    (".attention.output.dense.", ".attn.proj."),
    (".attention.o_proj.", ".attn.proj."),
    (".layer_scale1.lambda1", ".ls1.gamma"),
    (".layer_scale2.lambda1", ".ls2.gamma"),
    ("head.conv1.", "depth_head.scratch.output_conv1."),
    ("head.conv2.", "depth_head.scratch.output_conv2.0."),
    ("head.conv3.", "depth_head.scratch.output_conv2.2."),
    (".prompt_depth_layer.convolution1.", ".resConfUnit_depth.0."),
    (".prompt_depth_layer.convolution2.", ".resConfUnit_depth.2."),
    (".prompt_depth_layer.convolution3.", ".resConfUnit_depth.4."),
    (".residual_layer1.", ".resConfUnit1."),
    (".residual_layer2.", ".resConfUnit2."),
    (".convolution1.", ".conv1."),
    (".convolution2.", ".conv2."),
  ]

  private static func originalName(_ name: String) -> String {
    var name = name
    for index in 0..<4 {
      // Fusion runs from the coarsest level to the finest, so its layers count the other way.
      let fusion = "depth_head.scratch.refinenet\(4 - index)."
      for (from, to) in [
        ("neck.reassemble_stage.layers.\(index).projection.", "depth_head.projects.\(index)."),
        ("neck.reassemble_stage.layers.\(index).resize.", "depth_head.resize_layers.\(index)."),
        ("neck.convs.\(index).", "depth_head.scratch.layer\(index + 1)_rn."),
        ("neck.fusion_stage.layers.\(index).projection.", fusion + "out_conv."),
        ("neck.fusion_stage.layers.\(index).", fusion),
      ] where name.hasPrefix(from) {
        name = to + name.dropFirst(from.count)
      }
    }
    for (from, to) in replacements {
      guard let range = name.firstRange(of: from) else { continue }
      if from.hasPrefix(".") || range.lowerBound == name.startIndex { name.replaceSubrange(range, with: to) }
    }
    return name
  }
}
