import FileFormats

/// The server's description for clients: the answer to `GET v2`.
package enum ServerDescription {
  /// `version`: of the program.
  package static func metadata(version: String) -> JSONValue {
    [
      "name": "ardf", "version": .string(version),
      "extensions": ["binary_tensor_data", "model_configuration"],
    ]
  }
}
