public import StatusSchema

/// What a node answers to a ``ControlRequest``: one JSON object on a line.
///
/// Its JSON is described in `STATUS.md` of StatusSchema.
public enum ControlResponse: Sendable, Hashable {
  /// Done.
  case ok
  /// The answer to ``ControlRequest/status``.
  case status(Status)
  /// The answer to ``ControlRequest/version``: the daemon's version, and the schema of its status.
  case version(String, schema: Int)
  /// Not done, and why, in words for a person.
  case error(message: String)
}
