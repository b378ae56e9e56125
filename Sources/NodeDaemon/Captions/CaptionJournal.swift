internal import Captions
internal import Cryptography
internal import Remote
internal import StatusSchema

/// Chunks of captions in the order of their changes, for those who look.
struct CaptionJournal {
  /// In a status.
  private static let recent = 20

  private struct Place: Hashable {
    let key: CaptionSessionKey
    let index: UInt32
  }

  /// The most that are held.
  private static let alerts = 200

  private var alerts: [Place: CaptionStatus] = [:]
  private var alertCount = 0
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
  mutating func note(_ key: CaptionSessionKey, of transcript: CaptionTranscript?) {
    guard let transcript else { return }
    for chunk in transcript.chunks.values.filter({ !$0.isFinal }).sorted(by: { $0.index < $1.index }
    ) {
      note(key, chunk.index)
    }
  }

  /// Something happened that is in no transcript.
  mutating func note(alert words: String, of session: CaptionSessionKey, seconds: Double) {
    alertCount += 1
    // Beyond all chunks.
    let place = Place(key: session, index: UInt32.max - UInt32(alertCount % Self.alerts))
    var status = CaptionStatus(
      number: 0, session: session.text, index: Int(place.index), talker: "",
      talkerID: session.captioner.text, startSeconds: seconds, seconds: 0, text: words,
      isFinal: true)
    status.isAlert = true
    alerts[place] = status
    note(session, place.index)
  }

  mutating func forget(_ key: CaptionSessionKey) {
    numbers = numbers.filter { $0.key.key != key }
    changes.removeAll { $0.place.key == key }
    alerts = alerts.filter { $0.key.key != key }
  }

  /// What a remote asks for.
  func chunks(
    _ query: CaptionQuery, of shelf: CaptionShelf
  ) -> [CaptionStatus] {
    let limit = query.limit ?? CaptionQuery.usualLimit
    func isWanted(_ change: (number: Int64, place: Place)) -> Bool {
      numbers[change.place] == change.number
        && (query.search.map { shelf.has($0, change.place.key, change.place.index) } ?? true)
        && (query.session.map { shelf.isNamed($0, change.place.key) } ?? true)
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
    let found = places.compactMap { status($0, of: shelf) }
    return query.after == nil
      ? found.sorted {
        ($0.hosted ?? $0.session, $0.startSeconds) < ($1.hosted ?? $1.session, $1.startSeconds)
      } : found
  }

  private func status(
    _ place: Place, of shelf: CaptionShelf
  ) -> CaptionStatus? {
    if var alert = alerts[place] {
      alert.number = numbers[place] ?? 0
      return alert
    }
    guard let transcript = shelf.transcript(place.key),
      let chunk = shelf.shown(place.key, place.index)
    else { return nil }
    let talker = chunk.talker
    var status = CaptionStatus(
      number: numbers[place] ?? 0, session: place.key.text, index: Int(chunk.index),
      talker: talker.name.isEmpty && !chunk.isMarker ? shelf.name(talker.node) : talker.name,
      talkerID: talker.node.text,
      startSeconds: Double(chunk.startMilliseconds) / 1000,
      seconds: Double(chunk.durationMilliseconds) / 1000, text: chunk.text,
      isFinal: transcript.isSettled(chunk))
    status.role = talker.role.isEmpty ? nil : talker.role
    status.colour = talker.colourRGB.map { Configuration.text(ofColour: $0) }
    status.language = chunk.language.isEmpty ? nil : chunk.language
    status.confidence = chunk.confidencePercent.map { Double($0) / 100 }
    if chunk.isMarker { status.isMarker = true }
    status.hosted = shelf.hosted.session(ofPart: place.key)?.text
    return status
  }

  /// The part of a status.
  func status(of shelf: CaptionShelf) -> CaptionsStatus {
    let (desk, name) = (shelf.desk, shelf.name)
    var status = CaptionsStatus(isAvailable: false)
    status.isCaptioning = desk.isCaptioning
    status.scope =
      desk.isCaptioning ? desk.ownSession.flatMap { desk.transcripts[$0]?.scope } : nil
    status.isRefused = desk.refuses
    status.refusers = desk.refusers.map(name)
    status.refused = (Array(desk.faults.values) + shelf.hosted.faults.values).reduce(0, +)
    status.sessions = desk.transcripts.values.sorted { $0.key < $1.key }.map { transcript in
      CaptionSessionStatus(
        session: transcript.key.text, captioner: name(transcript.key.captioner),
        isOwn: transcript.key.captioner == shelf.own, scope: transcript.scope,
        isLive: transcript.isLive, chunks: transcript.chunks.count)
    }
    status.hosted = shelf.hosted.views.map(shelf.status)
    let live = Set(desk.transcripts.values.filter(\.isLive).map(\.key))
      .union(shelf.hosted.views.filter { $0.state == .live }.flatMap(\.parts))
    guard !live.isEmpty else { return status }
    let recent = changes.reversed().lazy
      .filter { live.contains($0.place.key) && numbers[$0.place] == $0.number }
      .prefix(Self.recent)
    status.recent = Array(recent).compactMap { self.status($0.place, of: shelf) }
      .filter { !$0.text.isEmpty }
      .sorted {
        ($0.hosted ?? $0.session, $0.startSeconds, $0.index)
          < ($1.hosted ?? $1.session, $1.startSeconds, $1.index)
      }
    return status
  }
}

extension CaptionSessionKey {
  /// By which people and programs know it.
  var text: String { "\(captioner.text.prefix(8))-\(String(number, radix: 36))" }
}
