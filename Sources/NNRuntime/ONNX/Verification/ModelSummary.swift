import FileFormats

/// Contents of a model file and the operators it needs; nothing is run.
package struct ModelSummary: Sendable {
  /// The nodes of one operator.
  package struct OperatorUse: Sendable {
    package let type: String
    package fileprivate(set) var count: Int
    /// The first node that cannot be run, and why.
    package fileprivate(set) var defect: ONNXError?
  }

  package let message: ModelMessage
  package private(set) var operators: [OperatorUse] = []
  package private(set) var parameters = 0
  package private(set) var parameterBytes = 0

  /// The description of a file, which may be malformed as long as it can be read.
  package init(path: String) throws {
    let bytes: FileBytes
    do throws(FileError) {
      bytes = FileBytes(try MappedFile(path: path))
    } catch {
      throw ONNXError.file(error)
    }
    message = try ModelMessage(bytes)
    var uses = NameTable<OperatorUse>()
    count(message.graph!, message.opsets, &uses)
    for function in message.functions { count(function.nodes, function.opsets, &uses) }
    operators = uses.values.sorted { $0.count == $1.count ? $0.type < $1.type : $0.count > $1.count }
  }

  private mutating func count(
    _ graph: GraphMessage, _ opsets: [OpsetMessage], _ uses: inout NameTable<OperatorUse>
  ) {
    for tensor in graph.initializers {
      guard let type = ElementType(rawValue: tensor.type),
        let size = try? Shape.count(tensor.shape.map { Int($0) }, most: Tensor.largest)
      else { continue }
      parameters += size
      parameterBytes += (size * type.bits + 7) / 8
    }
    count(graph.nodes, opsets, &uses)
  }

  private mutating func count(
    _ nodes: [NodeMessage], _ opsets: [OpsetMessage], _ uses: inout NameTable<OperatorUse>
  ) {
    for node in nodes {
      for case .graph(let graph)? in node.attributes.map(\.value) { count(graph, opsets, &uses) }
      let isFunction = message.functions.contains {
        $0.name.isSameName(as: node.type) && $0.domain.isSameName(as: node.domain)
      }
      if isFunction { continue }
      let version =
        opsets.first { $0.domain.isSameName(as: node.domain) }.map { Int($0.version) }
        ?? (node.domain.isEmpty && opsets.isEmpty ? 1 : Operators.newestVersion)
      let (_, defect) = Operators.find(node.domain, node.type, version, node.attributes.map(\.name))
      uses[node.qualifiedType, default: OperatorUse(type: node.qualifiedType, count: 0)].count += 1
      if let defect, uses[node.qualifiedType]?.defect == nil {
        uses[node.qualifiedType]?.defect = .node(name: node.shownName, type: node.qualifiedType, defect)
      }
    }
  }
}
