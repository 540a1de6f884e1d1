/// The designs of transformers whose networks have these outputs, by the `model_type` of `config.json`.
package enum DETRDesign: String, CaseIterable, Sendable {
  case rtDETR = "rt_detr"
  case rtDETRv2 = "rt_detr_v2"
  case dFine = "d_fine"
  case deimV2 = "deimv2"
  case deformable = "deformable_detr"
  case conditional = "conditional_detr"
  case dab = "dab_detr"
  case lw = "lw_detr"
  case detr
  case tableTransformer = "table-transformer"

  /// The design of a network of which only the number of logits a query is known: 92 are COCO's 91 numbers and no object, 91
  /// those alone.
  package init(logits: Int?) {
    self =
      switch logits {
      case 92: .detr
      case 91: .deformable
      default: .rtDETR
      }
  }

  /// How scores are read off the logits.
  package var scoring: DETRScoring {
    switch self {
    case .rtDETR, .rtDETRv2, .dFine, .deimV2: .eachClass(most: nil)
    case .deformable, .conditional, .dab, .lw: .eachClass(most: 100)
    case .detr, .tableTransformer: .bestClass
    }
  }

  /// Whether pictures are normalized, and keep their sides' ratio, where `preprocessor_config.json` does not say it.
  package var hasPlainPictures: Bool {
    switch self {
    case .rtDETR, .rtDETRv2, .dFine, .deimV2: true
    case .deformable, .conditional, .dab, .lw, .detr, .tableTransformer: false
    }
  }
}
