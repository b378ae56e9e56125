internal import Captions
internal import Cryptography
internal import StatusSchema

/// All captions that a node holds, of captioners and of hosted sessions, for those who show them or write them down.
struct CaptionShelf {
  let own: NodeID
  let desk: CaptionDesk
  let hosted: HostedSessions
  let name: (NodeID) -> String

  /// A captioner's session, or a part of a hosted one; nil: it is not held.
  func transcript(_ key: CaptionSessionKey) -> CaptionTranscript? {
    desk.transcripts[key] ?? hosted.transcript(ofPart: key)
  }

  /// A chunk as it is shown: what two captioners wrote down at once is shown once; nil: it is not held, or shown there.
  func shown(_ key: CaptionSessionKey, _ index: UInt32) -> CaptionChunk? {
    desk.transcripts[key] == nil
      ? hosted.shown(index, ofPart: key) : desk.shown(index, of: key)
  }

  /// What is to be in one file: a captioner's session, or all of a hosted one.
  func whole(_ key: CaptionSessionKey) -> CaptionTranscript? {
    desk.transcripts[key] ?? hosted.transcript(of: key)
  }

  /// How the file of a session begins.
  func title(_ transcript: CaptionTranscript) -> TranscriptTitle {
    let host = hosted.view(transcript.key)?.host
    return TranscriptTitle(
      session: transcript.key.text, captioner: host ?? name(transcript.key.captioner),
      scope: transcript.scope)
  }

  /// Whether a session, or the hosted one that it is a part of, has that ID.
  func isNamed(_ text: String, _ key: CaptionSessionKey) -> Bool {
    key.text == text || hosted.session(ofPart: key)?.text == text
  }

  /// Whether all of these words, or words that begin so, are in a chunk.
  func has(_ words: String, _ key: CaptionSessionKey, _ index: UInt32) -> Bool {
    guard let text = transcript(key)?.chunks[index]?.text else { return false }
    let said = Self.words(text)
    return Self.words(words).allSatisfy { word in said.contains { $0.hasPrefix(word) } }
  }

  private static func words(_ text: String) -> [Substring] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }
  }

  /// A hosted session in a status.
  func status(_ view: HostedView) -> HostedSessionStatus {
    var status = HostedSessionStatus(
      session: view.session.text, name: view.name, host: view.host, line: view.line,
      state: view.state.rawValue)
    (status.isOwn, status.isJoined, status.isSolo) = (view.isOwn, view.isJoined, view.isSolo)
    status.chunks = view.chunks
    status.batteryPercent = view.batteryPercent.map { Int($0) }
    status.listeners = view.listeners.map { node, read in
      let behind = Double(view.lastMilliseconds) - Double(read)
      return SessionListenerStatus(
        name: name(node), behindSeconds: max(0, behind) / 1000)
    }
    .sorted { $0.name < $1.name }
    return status
  }
}
