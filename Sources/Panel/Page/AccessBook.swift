internal import Cryptography
public import Remote

/// Who may use the page: invitations that wait, and phones that are signed in.
///
/// Values and times in, answers out: it reads no clock. Of tokens and cookies it has digests alone.
struct AccessBook {
  /// How long an invitation waits for its phone.
  static let invitationTime = Duration.seconds(600)
  /// Invitations at a time; the oldest makes room.
  static let invitationLimit = 8
  /// Phones at a time; the one that was not seen for longest makes room.
  static let sessionLimit = 64
  /// The longest name, in octets of UTF-8.
  static let nameLimitBytes = 40
  /// Wrong tokens that one address may try in ``penaltyTime``, and all together.
  static let wrongTries = (ofAddress: 5, ofAll: 30)
  /// How long a wrong try counts.
  static let penaltyTime = Duration.seconds(60)

  /// A phone that is signed in.
  struct Session: Equatable, Sendable {
    var record: PageRecord
    /// Nil: not since the start.
    var seen: ContinuousClock.Instant?
    /// How many of its pages are open now.
    var openPages = 0
  }

  private struct Invitation {
    var digest: [UInt8]
    var rights: PageRights
    var name: String?
    var end: ContinuousClock.Instant
  }

  /// Why somebody is not signed in.
  enum Refusal: Error, Equatable {
    /// The token is none, was used, or is too old.
    case unknownToken
    /// Too many wrong ones came.
    case tooManyTries
  }

  private(set) var sessions: [Session]
  private var invitations: [Invitation] = []
  private var wrong: [(address: String, time: ContinuousClock.Instant)] = []

  /// Those that were signed in before.
  init(_ records: [PageRecord]) {
    sessions = records.prefix(Self.sessionLimit).map { Session(record: $0) }
  }

  /// What is to be kept.
  var records: [PageRecord] { sessions.map(\.record) }

  /// From now on somebody with this token can sign in, once.
  mutating func invite(
    token: String, rights: PageRights, name: String?, now: ContinuousClock.Instant
  ) {
    invitations.removeAll { $0.end <= now }
    if invitations.count >= Self.invitationLimit { invitations.removeFirst() }
    invitations.append(
      Invitation(
        digest: AccessToken.digest(of: token), rights: rights, name: name,
        end: now + Self.invitationTime))
  }

  /// Signs a phone in.
  ///
  /// - Parameters:
  ///   - name: what it calls itself.
  ///   - id: a new one.
  ///   - cookie: by which it is known from now on.
  mutating func signIn(
    token: String, name: String, from address: String, id: String, cookie: String,
    now: ContinuousClock.Instant, unixSeconds: Int64
  ) throws(Refusal) -> PageRecord {
    wrong.removeAll { $0.time + Self.penaltyTime <= now }
    guard wrong.count < Self.wrongTries.ofAll,
      wrong.count(where: { $0.address == address }) < Self.wrongTries.ofAddress
    else { throw .tooManyTries }
    let digest = AccessToken.digest(of: token)
    guard
      let index = invitations.firstIndex(where: {
        AccessToken.isSame($0.digest, digest) && $0.end > now
      })
    else {
      wrong.append((address, now))
      throw .unknownToken
    }
    let invitation = invitations.remove(at: index)
    makeRoom()
    let record = PageRecord(
      id: id, digest: AccessToken.digest(of: cookie), rights: invitation.rights,
      name: freeName(Self.cleaned(invitation.name ?? name)), unixSeconds: unixSeconds)
    sessions.append(Session(record: record, seen: now))
    return record
  }

  /// Whose cookie it is; from then on it was seen.
  mutating func session(cookie: String, now: ContinuousClock.Instant) -> Session? {
    let digest = AccessToken.digest(of: cookie)
    guard let index = sessions.firstIndex(where: { AccessToken.isSame($0.record.digest, digest) })
    else { return nil }
    sessions[index].seen = now
    return sessions[index]
  }

  /// What a session may do; nil: it is no more.
  func rights(of id: String) -> PageRights? {
    sessions.first { $0.record.id == id }?.record.rights
  }

  /// A page of a session was opened (1) or closed (-1).
  mutating func count(_ change: Int, of id: String, now: ContinuousClock.Instant) {
    guard let index = sessions.firstIndex(where: { $0.record.id == id }) else { return }
    sessions[index].openPages += change
    sessions[index].seen = now
  }

  /// Signs out.
  ///
  /// - Parameter who: a name or an ID; nil: everybody.
  /// - Returns: the IDs of those who were.
  mutating func revoke(_ who: String?) -> [String] {
    let gone = sessions.filter { who == nil || $0.record.id == who || $0.record.name == who }
    sessions.removeAll { session in gone.contains { $0.record.id == session.record.id } }
    return gone.map(\.record.id)
  }

  private mutating func makeRoom() {
    guard sessions.count >= Self.sessionLimit else { return }
    let places = sessions.indices.filter { sessions[$0].openPages == 0 }
    let longest = places.min { one, other in
      switch (sessions[one].seen, sessions[other].seen) {
      case (let one?, let other?): one < other
      case (nil, .some): true
      default: false
      }
    }
    sessions.remove(at: longest ?? 0)
  }

  private func freeName(_ wish: String) -> String {
    let taken = Set(sessions.map(\.record.name))
    if !taken.contains(wish) { return wish }
    return (2...).lazy.map { "\(wish) \($0)" }.first { !taken.contains($0) } ?? wish
  }

  /// A name without what would command a terminal, and not too long.
  static func cleaned(_ name: String) -> String {
    let visible = name.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
      default: true
      }
    }
    var text = String(String.UnicodeScalarView(visible))
    while text.first == " " { text.removeFirst() }
    while text.utf8.count > nameLimitBytes || text.last == " " { text.removeLast() }
    return text.isEmpty ? "phone" : text
  }
}

/// What is kept of a phone that is signed in.
public struct PageRecord: Equatable, Sendable {
  /// Tells it from others of its name.
  public var id: String
  /// The SHA-256 of its cookie.
  public var digest: [UInt8]
  /// What it may do.
  public var rights: PageRights
  /// What it is called.
  public var name: String
  /// When it signed in.
  public var unixSeconds: Int64

  /// A record as it was kept.
  public init(id: String, digest: [UInt8], rights: PageRights, name: String, unixSeconds: Int64) {
    self.id = id
    self.digest = digest
    self.rights = rights
    self.name = name
    self.unixSeconds = unixSeconds
  }
}
