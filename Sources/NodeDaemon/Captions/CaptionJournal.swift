internal import Captions
internal import Cryptography
internal import Remote
internal import StatusSchema

/// Chunks of captions in the order of their changes, for those who look.
struct CaptionJournal {
  private static let usualLimit = 50
  /// In a status.
  private static let recent = 20

  private struct Place: Hashable {
    let key: CaptionSessionKey
    let index: UInt32
  }

  private var lastNumber: Int64 = 0
  private var numbers: [Place: Int64] = [:]
  /// As they changed; of a chunk that changed again the former place is stale.
  private var changes: [(number: Int64, place: Place)] = []

  /// A chunk is another.
  mutating func note(_ key: CaptionSessionKey, _ index: UInt32) {
    lastNumber += 1
    let place = Place(key: key, index: index)
    numbers[place] = lastNumber
    changes.append((lastNumber, place))
    guard changes.count > 2 * numbers.count + 64 else { return }
    changes.removeAll { numbers[$0.place] != $0.number }
  }

  /// A session goes on or not: what was partial in it counts as final, or may change again.
  mutating func note(_ key: CaptionSessionKey, of desk: CaptionDesk) {
    guard let transcript = desk.transcripts[key] else { return }
    for chunk in transcript.chunks.values.filter({ !$0.isFinal }).sorted(by: { $0.index < $1.index }
    ) {
      note(key, chunk.index)
    }
  }

  mutating func forget(_ key: CaptionSessionKey) {
    numbers = numbers.filter { $0.key.key != key }
    changes.removeAll { $0.place.key == key }
  }

  /// What a remote asks for.
  func chunks(
    _ query: CaptionQuery, of desk: CaptionDesk, naming name: (NodeID) -> String
  ) -> [CaptionStatus] {
    let limit = query.limit ?? Self.usualLimit
    func isWanted(_ change: (number: Int64, place: Place)) -> Bool {
      numbers[change.place] == change.number
        && (query.session.map { $0 == change.place.key.text } ?? true)
    }
    let places: [Place]
    if let after = query.after {
      var low = changes.startIndex
      var high = changes.endIndex
      while low < high {
        let middle = (low + high) / 2
        if changes[middle].number <= after { low = middle + 1 } else { high = middle }
      }
      places = changes[low...].lazy.filter(isWanted).prefix(limit).map(\.place)
    } else {
      places = changes.reversed().lazy.filter(isWanted).prefix(limit).map(\.place).reversed()
    }
    let found = places.compactMap { status($0, of: desk, naming: name) }
    return query.after == nil
      ? found.sorted { ($0.session, $0.startSeconds) < ($1.session, $1.startSeconds) } : found
  }

  private func status(
    _ place: Place, of desk: CaptionDesk, naming name: (NodeID) -> String
  ) -> CaptionStatus? {
    guard let transcript = desk.transcripts[place.key],
      let chunk = transcript.chunks[place.index]
    else { return nil }
    let talker = chunk.talker
    var status = CaptionStatus(
      number: numbers[place] ?? 0, session: place.key.text, index: Int(chunk.index),
      talker: talker.name.isEmpty ? name(talker.node) : talker.name, talkerID: talker.node.text,
      startSeconds: Double(chunk.startMilliseconds) / 1000,
      seconds: Double(chunk.durationMilliseconds) / 1000, text: chunk.text,
      isFinal: transcript.isSettled(chunk))
    status.role = talker.role.isEmpty ? nil : talker.role
    status.colour = talker.colourRGB.map { Configuration.text(ofColour: $0) }
    status.language = chunk.language.isEmpty ? nil : chunk.language
    status.confidence = chunk.confidencePercent.map { Double($0) / 100 }
    return status
  }

  /// The part of a status.
  func status(
    of desk: CaptionDesk, own: NodeID, naming name: (NodeID) -> String
  ) -> CaptionsStatus {
    var status = CaptionsStatus(isAvailable: false)
    status.isCaptioning = desk.isCaptioning
    status.scope =
      desk.isCaptioning ? desk.ownSession.flatMap { desk.transcripts[$0]?.scope } : nil
    status.isRefused = desk.refuses
    status.refusers = desk.refusers.map(name)
    status.refused = desk.faults.values.reduce(0, +)
    status.sessions = desk.transcripts.values.sorted { $0.key < $1.key }.map { transcript in
      CaptionSessionStatus(
        session: transcript.key.text, captioner: name(transcript.key.captioner),
        isOwn: transcript.key.captioner == own, scope: transcript.scope,
        isLive: transcript.isLive, chunks: transcript.chunks.count)
    }
    let live = Set(desk.transcripts.values.filter(\.isLive).map(\.key))
    guard !live.isEmpty else { return status }
    let recent = changes.reversed().lazy
      .filter { live.contains($0.place.key) && numbers[$0.place] == $0.number }
      .prefix(Self.recent)
    status.recent = Array(recent).compactMap { self.status($0.place, of: desk, naming: name) }
      .filter { !$0.text.isEmpty }
      .sorted { ($0.session, $0.startSeconds, $0.index) < ($1.session, $1.startSeconds, $1.index) }
    return status
  }
}

extension CaptionSessionKey {
  /// By which people and programs know it.
  var text: String { "\(captioner.text.prefix(8))-\(String(number, radix: 36))" }
}
