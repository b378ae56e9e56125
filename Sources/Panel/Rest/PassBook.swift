internal import Cryptography

/// Passes of programs that signed in: an access token for minutes and a refresh token for days, each as its digest.
///
/// Values and times in, answers out: it reads no clock. Each refresh makes both anew, and a refresh token is good once,
/// so that a copy of it is found out by whoever comes second.
struct PassBook {
  /// How long an access token is good.
  static let accessTime = Duration.seconds(900)
  /// How long a refresh token is good.
  static let refreshTime = Duration.seconds(30 * 86_400)
  /// Passes of one program; the oldest makes room.
  static let limit = 8

  private struct Pass {
    let holder: String
    let access: [UInt8]
    let refresh: [UInt8]
    let accessEnd: ContinuousClock.Instant
    let refreshEnd: ContinuousClock.Instant
  }

  private var passes: [Pass] = []

  /// A program signs in.
  ///
  /// - Parameters:
  ///   - holder: the ID of its token.
  ///   - access: a new text.
  ///   - refresh: another.
  mutating func add(
    _ holder: String, access: String, refresh: String, now: ContinuousClock.Instant
  ) {
    passes.removeAll { $0.refreshEnd <= now }
    if passes.count(where: { $0.holder == holder }) >= Self.limit,
      let oldest = passes.firstIndex(where: { $0.holder == holder })
    {
      passes.remove(at: oldest)
    }
    passes.append(
      Pass(
        holder: holder, access: AccessToken.digest(of: access),
        refresh: AccessToken.digest(of: refresh), accessEnd: now + Self.accessTime,
        refreshEnd: now + Self.refreshTime))
  }

  /// Whose access token it is; nil: nobody's, or it is over.
  func holder(ofAccess token: String, now: ContinuousClock.Instant) -> String? {
    let digest = AccessToken.digest(of: token)
    return passes.first { AccessToken.isSame($0.access, digest) && $0.accessEnd > now }?.holder
  }

  /// Takes a pass back for its refresh token.
  ///
  /// - Returns: whose it was; nil: nobody's, or it is over.
  mutating func take(refresh token: String, now: ContinuousClock.Instant) -> String? {
    let digest = AccessToken.digest(of: token)
    guard
      let index = passes.firstIndex(where: {
        AccessToken.isSame($0.refresh, digest) && $0.refreshEnd > now
      })
    else { return nil }
    return passes.remove(at: index).holder
  }

  /// Forgets those of tokens that are no more.
  mutating func keep(_ holders: Set<String>) {
    passes.removeAll { !holders.contains($0.holder) }
  }
}
