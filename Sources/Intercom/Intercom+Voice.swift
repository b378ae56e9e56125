internal import EventLoop
internal import Voice

/// What is done to the microphone's voice.
extension Intercom {
  /// Changes settings of the voice chain, by name and as they are written; the others stay.
  ///
  /// The engines are made here, on the caller's side; the media loop only takes them over.
  /// - Returns: what is not as set and why, in words; nil: all is.
  /// - Throws: the first that will not do, in words; then nothing is changed.
  public nonisolated func setVoice(
    _ changes: [String: String]
  ) async throws(IntercomError) -> String? {
    while true {
      let (former, format) = await voiceBasis()
      let settings = try former.changed(changes)
      // A task that prefers the loop would run this on the loop.
      let (isDone, problem) = await withTaskExecutorPreference(globalConcurrentExecutor) {
        let change = VoiceChange(from: former, to: settings, format: format)
        let problem = change.problem
        return (await apply(change), problem)
      }
      if isDone { return problem }
    }
  }

  /// What the own voice is changed into, in words; empty: nothing.
  public var voiceEffect: String { station.capture.voice.effect }

  private func voiceBasis() -> (VoiceSettings, VoiceFormat) { station.capture.voice.basis }

  private func apply(_ change: sending VoiceChange) -> Bool { station.capture.voice.apply(change) }
}

extension VoiceSettings {
  fileprivate func changed(_ changes: [String: String]) throws(IntercomError) -> VoiceSettings {
    var settings = self
    for (word, text) in changes.sorted(by: { $0.key < $1.key }) {
      guard let name = Name(rawValue: word) else {
        let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
        throw .refused("no voice setting is called \"\(word.prefix(40))\"; use one of \(known)")
      }
      do throws(Problem) {
        try settings.set(name, to: text)
      } catch {
        throw .refused("\(name.rawValue) \(error.words)")
      }
    }
    return settings
  }
}
