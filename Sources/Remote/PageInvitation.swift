/// What somebody at the page may do; each may what the ones before it may.
public enum PageRights: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// See who is there, and hear.
  case listen
  /// Work the talk key.
  case talk
  /// Set the sound, let nodes in and keep them out, test.
  case operate
  /// Everything that `comlink` can: groups, identity, recording, who may use the page.
  case admin

  /// Whether the second may more than the first.
  public static func < (one: PageRights, other: PageRights) -> Bool { one.rank < other.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a phone needs to sign in at the page, once.
public struct PageInvitation: Sendable, Hashable, Codable {
  /// Where the page is, the best first, such as `https://stage.local:8443/`.
  public var addresses: [String]
  /// Where a phone gets the certificate authority to trust, likewise; empty: the page's certificate is the user's own.
  public var trustAddresses: [String]
  /// What that authority is called.
  public var authority: String?
  /// Its certificate's SHA-256, 64 hexadecimal digits.
  public var authorityFingerprint: String?
  /// The token, a secret that goes behind a `#` after the page's address.
  public var token: String
  /// How long it is good, once.
  public var seconds: Double

  /// An invitation to a page at these places.
  public init(addresses: [String], trustAddresses: [String], token: String, seconds: Double) {
    self.addresses = addresses
    self.trustAddresses = trustAddresses
    self.token = token
    self.seconds = seconds
  }
}

extension PageInvitation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the token.
  public var description: String { "(invitation)" }
  /// Never the token.
  public var debugDescription: String { "(invitation)" }
  /// Never the token.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Who is signed in at the page: a phone or a browser.
public struct PageSessionStatus: Sendable, Hashable, Codable {
  /// By which it can be told from others of its name.
  public var id: String
  /// What it is called.
  public var name: String
  /// What it may do.
  public var rights: PageRights
  /// Seconds since it signed in.
  public var ageSeconds: Double
  /// Seconds since it was seen last; absent: not since comlinkd started.
  public var idleSeconds: Double?
  /// Whether it has the page open now.
  public var isOpen: Bool

  /// A session as it is listed.
  public init(
    id: String, name: String, rights: PageRights, ageSeconds: Double, idleSeconds: Double?,
    isOpen: Bool
  ) {
    self.id = id
    self.name = name
    self.rights = rights
    self.ageSeconds = ageSeconds
    self.idleSeconds = idleSeconds
    self.isOpen = isOpen
  }
}
