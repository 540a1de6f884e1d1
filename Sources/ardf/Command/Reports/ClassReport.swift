import Evaluation
import FileFormats
import NNRuntime

/// Accuracy of a classifier.
struct ClassReport: EvaluationReport {
  struct Row {
    let precision: Precision
    let kernels: String
    let accuracy: ClassAccuracy
  }

  let network: String
  let weightsDigest: String
  let classNames: [String]
  let side: Int
  let pictures: Int
  let leftOut: LeftOutInputs
  let rows: [Row]

  var heading: String {
    let count = rows.first?.accuracy.labeled.count ?? 0
    return
      "\(network), \(side)x\(side), \(counted(pictures, "picture")) of \(counted(count, "class", "classes"))"
  }

  var table: EvaluationTable {
    let isCompared = rows.count > 1
    return EvaluationTable(
      header: ["precision", "top1", "top5"] + (isCompared ? ["top1 change"] : []),
      rows: rows.map { row in
        [row.precision.rawValue, decimal(row.accuracy.top1, 4), decimal(row.accuracy.top5, 4)]
          + (isCompared ? [decimal(row.accuracy.top1 - rows[0].accuracy.top1, 4)] : [])
      })
  }

  var document: JSONValue {
    [
      "schema": "ardf.evaluation/1", "task": "classes", "network": .string(network),
      "weightsSHA256": .string(weightsDigest), "input": .string("\(side)x\(side)"),
      "pictures": .integer(pictures), "leftOut": .integer(leftOut.entries.count),
      "leftOutPictures": .array(leftOut.json),
      "results": .array(
        rows.map { row in
          [
            "precision": .string(row.precision.rawValue), "kernels": .string(row.kernels),
            "top1": .rounded(row.accuracy.top1, decimals: 6),
            "top5": .rounded(row.accuracy.top5, decimals: 6),
            "classes": .array(
              row.accuracy.labeled.map { index in
                let (top1, top5, count) = row.accuracy.counts(of: index)
                return [
                  "classId": .integer(index), "className": .string(classNames[index]),
                  "pictures": .integer(count),
                  "top1": .rounded(Double(top1) / Double(count), decimals: 6),
                  "top5": .rounded(Double(top5) / Double(count), decimals: 6),
                ]
              }),
          ]
        }),
    ]
  }
}
