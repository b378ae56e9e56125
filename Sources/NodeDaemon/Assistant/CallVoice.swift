internal import Assistant

/// The sound of a call: what the caller says comes in as text, what the assistant says goes out as sound.
///
/// Any thread; nothing here waits. What comes of it is told by ``News``.
protocol CallVoice: Sendable {
  /// Begins; tells that it is ready, or why it cannot be, and what follows.
  func begin(_ tell: @escaping @Sendable (CallVoiceNews) async -> Void) async
  /// Carries out what a call decided; others than those of sound are ignored.
  func carryOut(_ action: AssistantCall.Action) async
  /// Ends all of it.
  func end() async
}

/// What comes of a ``CallVoice``.
enum CallVoiceNews: Hashable, Sendable {
  /// All that is needed answers.
  case ready
  /// The caller has gone.
  case gone
  /// It cannot go on, why in words.
  case failed(String)
  /// A voice is heard, or none any more: since so long, as the microphone is looked at now and then.
  case voice(Bool, agoNanoseconds: Int64)
  /// What was said, by the number of ``AssistantCall/Action/recognise(_:)``.
  case heard(Int, String)
  /// Why it cannot be told.
  case notHeard(Int, String)
  /// A sentence was heard to its end, by its number.
  case spoke(Int)
  /// Why it cannot be.
  case notSpoken(Int, String)
}
