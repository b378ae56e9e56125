public import Cryptography

/// A node's own description; all of it may change while it runs.
public struct NodeProfile: Hashable, Sendable {
  /// Longest text of each kind in octets of UTF-8.
  public static let maximumTextBytes = 63
  /// Most addresses of each kind.
  public static let maximumAddresses = 8

  /// The display name.
  public var name: String
  /// Its role: “stage left”, “foh”; empty for none.
  public var role: String
  /// A colour to show it in, 24 bits of red, green and blue; nil for none.
  public var colourRGB: UInt32?
  /// The software's version, as people write it.
  public var softwareVersion: String
  /// Whether it records what it hears; a courtesy without proof.
  public var isRecording: Bool
  /// Where it takes control connections, the best first.
  public var controlAddresses: [NodeAddress]
  /// Where it takes media, the best first.
  public var mediaAddresses: [NodeAddress]
  /// The peer whose voice it loops back, for a test with its user's consent; nil: none.
  public var loopBack: NodeID?
  /// Who is there; nil: it does not say.
  public var people: People?
  /// What it changes its voice into, as its user wrote it; empty: nothing.
  public var effect = ""

  /// Makes a profile.
  ///
  /// - Parameters:
  ///   - name: cut to ``maximumTextBytes`` of whole characters when sent, as are the other texts.
  ///   - controlAddresses: at most ``maximumAddresses`` are sent, as of `mediaAddresses`.
  public init(
    name: String, role: String = "", colourRGB: UInt32? = nil, softwareVersion: String = "",
    controlAddresses: [NodeAddress] = [], mediaAddresses: [NodeAddress] = []
  ) {
    self.name = name
    self.role = role
    self.colourRGB = colourRGB
    self.softwareVersion = softwareVersion
    isRecording = false
    self.controlAddresses = controlAddresses
    self.mediaAddresses = mediaAddresses
  }

  /// The profile with every ``NodeAddress/Host/observed`` host replaced by where it was seen.
  func seen(at observed: NodeAddress?) -> NodeProfile {
    guard let observed else { return self }
    var profile = self
    profile.controlAddresses = controlAddresses.map { $0.seen(at: observed) }
    profile.mediaAddresses = mediaAddresses.map { $0.seen(at: observed) }
    return profile
  }
}

/// Who is at a node: it decides what is spoken there, and tells others whether to speak or to write.
public enum People: String, Hashable, Sendable, CaseIterable {
  /// They read.
  case deaf
  /// They hear.
  case hearing
  /// Some read, some hear.
  case both

  /// The choices as a user writes them.
  public static let words = allCases.map(\.rawValue).joined(separator: "|")

  /// As a message has it: a bit for those who read, and one for those who hear.
  var number: UInt64 {
    switch self {
    case .deaf: 1
    case .hearing: 2
    case .both: 3
    }
  }

  init?(number: UInt64) {
    guard let people = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = people
  }
}

/// A node, a run of it and where it takes control connections: as it is remembered, and as members tell each other.
public struct NodeRecord: Hashable, Sendable {
  /// The node.
  public var node: NodeID
  /// Its count of starts: of one that is remembered the highest that it proved.
  public var instance: UInt64
  /// Where it takes control connections, the best first.
  public var addresses: [NodeAddress]

  /// Makes a record.
  public init(node: NodeID, instance: UInt64, addresses: [NodeAddress] = []) {
    self.node = node
    self.instance = instance
    self.addresses = addresses
  }
}
