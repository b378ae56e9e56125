public import Cryptography
internal import Glibc
public import Remote
internal import Synchronization

/// Who may use a node's page, for all its doors; any thread.
public final class PageAccess: Sendable {
  private static let tokenBytes = 16
  private static let cookieBytes = 32
  private static let idCharacters = 6

  private let book: Mutex<AccessBook>
  private let changes: AsyncStream<[PageRecord]>.Continuation
  private let revoked = Mutex<(@Sendable (_ ids: [String]) -> Void)?>(nil)
  /// What is to be kept, whenever that changes; for one follower.
  public let records: AsyncStream<[PageRecord]>
  private let gone: AsyncStream<[String]>.Continuation
  /// Who is signed out, by ID; for one follower.
  public let departures: AsyncStream<[String]>

  /// Goes on with those that were signed in before.
  public init(_ records: [PageRecord] = []) {
    book = Mutex(AccessBook(records))
    (self.records, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (departures, gone) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  /// Makes a token that lets a phone sign in, once.
  ///
  /// - Returns: the token, and how long it is good.
  public func invite(
    rights: PageRights, name: String?
  ) throws(CryptoError) -> (token: String, seconds: Double) {
    let token = try AccessToken.make(byteCount: Self.tokenBytes)
    book.withLock { $0.invite(token: token, rights: rights, name: name, now: .now) }
    return (token, AccessBook.invitationTime / .seconds(1))
  }

  /// Who is signed in, the last first.
  public var sessions: [PageSessionStatus] {
    let (now, seconds) = (ContinuousClock.now, Int64(time(nil)))
    return book.withLock(\.sessions).reversed().map { session in
      PageSessionStatus(
        id: session.record.id, name: session.record.name, rights: session.record.rights,
        ageSeconds: max(0, Double(seconds - session.record.unixSeconds)),
        idleSeconds: session.seen.map { ($0.duration(to: now) / .seconds(1)).rounded() },
        isOpen: session.openPages > 0)
    }
  }

  /// How many pages are open now.
  var openPages: Int { book.withLock { $0.sessions.reduce(0) { $0 + $1.openPages } } }

  /// Signs out whoever has that name or ID, or everybody, and closes their pages.
  ///
  /// - Returns: how many.
  public func revoke(_ who: String?) -> Int {
    let (ids, records) = book.withLock { ($0.revoke(who), $0.records) }
    guard !ids.isEmpty else { return 0 }
    changes.yield(records)
    gone.yield(ids)
    revoked.withLock { $0 }?(ids)
    return ids.count
  }

  /// From now on this is told who was signed out.
  func onRevoke(_ body: (@Sendable (_ ids: [String]) -> Void)?) { revoked.withLock { $0 = body } }

  /// Signs a phone in.
  ///
  /// - Returns: who it is, and its cookie.
  func signIn(
    token: String, name: String, from address: String
  ) throws(AccessBook.Refusal) -> (record: PageRecord, cookie: String) {
    guard let cookie = try? AccessToken.make(byteCount: Self.cookieBytes),
      let id = try? AccessToken.make(byteCount: Self.tokenBytes).prefix(Self.idCharacters)
    else { throw .unknownToken }
    let outcome = book.withLock { book in
      Result { () throws(AccessBook.Refusal) in
        try book.signIn(
          token: token, name: name, from: address, id: String(id), cookie: cookie, now: .now,
          unixSeconds: Int64(time(nil)))
      }.map { ($0, book.records) }
    }
    let (record, records) = try outcome.get()
    changes.yield(records)
    return (record, cookie)
  }

  /// Whose cookie it is.
  func session(cookie: String) -> PageRecord? {
    book.withLock { $0.session(cookie: cookie, now: .now)?.record }
  }

  /// What a session may do; nil: it is no more.
  func rights(of id: String) -> PageRights? { book.withLock { $0.rights(of: id) } }

  /// A page of a session was opened (1) or closed (-1).
  func count(_ change: Int, of id: String) {
    book.withLock { $0.count(change, of: id, now: .now) }
  }
}
