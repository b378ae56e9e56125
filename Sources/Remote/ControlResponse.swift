public import StatusSchema

/// What a node answers to a ``ControlRequest``: one JSON object on a line.
///
/// Its JSON is described in `STATUS.md` of StatusSchema.
public enum ControlResponse: Sendable, Hashable {
  /// Done.
  case ok
  /// Done, and something about it that a person should know.
  case done(note: String)
  /// The answer to ``ControlRequest/status``.
  case status(Status)
  /// The answer to ``ControlRequest/version``: the daemon's version, and the schema of its status.
  case version(String, schema: Int)
  /// The answer to ``ControlRequest/groupNew(name:)``: the text that lets others in.
  case invitation(SecretText)
  /// The answer to ``ControlRequest/groupList`` and ``ControlRequest/groupJoin(invitation:)``.
  case groups([GroupStatus])
  /// The answer to ``ControlRequest/peers`` and ``ControlRequest/pairWith(peer:pin:)``.
  case acquaintances([AcquaintanceStatus])
  /// The answer to ``ControlRequest/pairShow(group:)``: six digits, and how long they are good.
  case pin(SecretText, seconds: Double)
  /// The answer to ``ControlRequest/logLevel(level:area:)``: the level of each area asked about.
  case logLevels([String: String])
  /// The answer to ``ControlRequest/testLoop(peer:)``.
  case loopTest(LoopTestStatus)
  /// The answer to ``ControlRequest/testSpeech(peer:)``.
  case speechTest(SpeechTestStatus)
  /// The answer to ``ControlRequest/recordStart(_:)``: the folder that the files are in.
  case recording(path: String)
  /// Not done, and why, in words for a person.
  case error(message: String)
}
