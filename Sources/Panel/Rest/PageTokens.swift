public import Remote
internal import Cryptography
internal import Glibc
internal import Synchronization

/// Which programs may use the page's REST: of each token the digest alone; any thread.
///
/// A token is good until it is revoked. It is neither a cookie nor an invitation, and neither of these is a token.
public final class PageTokens: Sendable {
  /// Why no token is made.
  public enum Refusal: Error, Hashable, CustomStringConvertible {
    case name
    case taken(String)
    case full
    case random

    /// One sentence for people.
    public var description: String {
      switch self {
      case .name:
        "the name is empty, longer than \(AccessBook.nameLimitBytes) bytes, or has signs that "
          + "cannot be seen; give another"
      case .taken(let name):
        "\(name) has a token already; give another name, or comlink page token revoke \(name)"
      case .full:
        "\(limit) programs have tokens; take one back with comlink page token revoke NAME"
      case .random: "the system has no random numbers; try again"
      }
    }
  }

  /// What a program that signed in has.
  struct Pass {
    let access: String
    let refresh: String
  }

  private struct Holder {
    var record: PageRecord
    var rate: RateBound
    var seen: ContinuousClock.Instant?
  }

  /// Programs at a time.
  static let limit = 64
  private static let tokenBytes = 32
  private static let idCharacters = 6
  /// Requests of one program at once, and a second after that.
  private static let requests = (most: 120.0, perSecond: 40.0)

  private let book: Mutex<[Holder]>
  private let passes = Mutex(PassBook())
  private let changes: AsyncStream<[PageRecord]>.Continuation
  /// What is to be kept, whenever that changes; for one follower.
  public let records: AsyncStream<[PageRecord]>

  /// Goes on with those that had one before.
  public init(_ records: [PageRecord] = []) {
    book = Mutex(records.prefix(Self.limit).map { Self.holder($0) })
    (self.records, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  private static func holder(_ record: PageRecord) -> Holder {
    Holder(
      record: record, rate: RateBound(most: requests.most, perSecond: requests.perSecond))
  }

  /// Makes a token; it is told this once.
  public func issue(to name: String, _ rights: PageRights) throws(Refusal) -> String {
    guard !name.isEmpty, AccessBook.cleaned(name) == name else { throw .name }
    guard let token = try? AccessToken.make(byteCount: Self.tokenBytes),
      let id = try? AccessToken.make(byteCount: 16).prefix(Self.idCharacters)
    else { throw .random }
    let record = PageRecord(
      id: String(id), digest: AccessToken.digest(of: token), rights: rights, name: name,
      unixSeconds: Int64(time(nil)))
    let outcome = book.withLock { book in
      Result { () throws(Refusal) in
        guard !book.contains(where: { $0.record.name == name }) else { throw .taken(name) }
        guard book.count < Self.limit else { throw .full }
        book.append(Self.holder(record))
        return book.map(\.record)
      }
    }
    changes.yield(try outcome.get())
    return token
  }

  /// Who has one, the last first.
  public var holders: [PageSessionStatus] {
    let (now, seconds) = (ContinuousClock.now, Int64(time(nil)))
    return book.withLock { $0 }.reversed().map { holder in
      PageSessionStatus(
        id: holder.record.id, name: holder.record.name, rights: holder.record.rights,
        ageSeconds: max(0, Double(seconds - holder.record.unixSeconds)),
        idleSeconds: holder.seen.map { ($0.duration(to: now) / .seconds(1)).rounded() },
        isOpen: false)
    }
  }

  /// Takes back that of a name or ID, or all.
  ///
  /// - Returns: how many.
  public func revoke(_ who: String?) -> Int {
    let (count, left) = book.withLock { book in
      let before = book.count
      book.removeAll { who == nil || $0.record.id == who || $0.record.name == who }
      passes.withLock { $0.keep(Set(book.map(\.record.id))) }
      return (before - book.count, book.map(\.record))
    }
    if count > 0 { changes.yield(left) }
    return count
  }

  /// Signs a program in with its token.
  ///
  /// - Returns: nil: it is nobody's.
  func signIn(_ token: String) -> Pass? {
    let digest = AccessToken.digest(of: token)
    return pass { book in
      book.first { AccessToken.isSame($0.record.digest, digest) }?.record.id
    }
  }

  /// Gives another pass for a refresh token; nil: it is nobody's, was used, or is over.
  func refresh(_ token: String) -> Pass? {
    guard let id = passes.withLock({ $0.take(refresh: token, now: .now) }) else { return nil }
    return pass { book in book.first { $0.record.id == id }?.record.id }
  }

  /// Under the lock of the book, so that nobody gets one whose token is being revoked.
  private func pass(of find: ([Holder]) -> String?) -> Pass? {
    guard let access = try? AccessToken.make(byteCount: Self.tokenBytes),
      let refresh = try? AccessToken.make(byteCount: Self.tokenBytes)
    else { return nil }
    return book.withLock { book in
      guard let id = find(book) else { return nil }
      passes.withLock { $0.add(id, access: access, refresh: refresh, now: .now) }
      return Pass(access: access, refresh: refresh)
    }
  }

  /// Whose token it is, or whose access token.
  ///
  /// - Returns: nil: nobody's; `isTooMany`: more requests than one may send.
  func holder(of token: String) -> (record: PageRecord, isTooMany: Bool)? {
    let digest = AccessToken.digest(of: token)
    let id = passes.withLock { $0.holder(ofAccess: token, now: .now) }
    return book.withLock { book in
      guard
        let index = book.firstIndex(where: {
          $0.record.id == id || AccessToken.isSame($0.record.digest, digest)
        })
      else { return nil }
      book[index].seen = .now
      return (book[index].record, !book[index].rate.take())
    }
  }
}
