public import Cryptography

/// What ``HostedSessions`` tells those who show or log it.
public enum HostedEvent: Hashable, Sendable {
  /// Something happened to a session.
  case news(CaptionSessionKey, SessionNews)
  /// A chunk of a part is there, or is another.
  case chunk(CaptionSessionKey, UInt32)
  /// A part's host is here or not: what was partial counts as final, or may change again.
  case part(CaptionSessionKey)
  /// A part is held no more.
  case forgotten(CaptionSessionKey)
  /// What a node sent is not taken.
  case refused(from: NodeID, CaptionFault)
}

/// What happened to a hosted session.
public enum SessionNews: Hashable, Sendable {
  /// There is one, that goes on.
  case announced
  /// Its host is away.
  case hostLost
  /// Its host is back, and never stopped.
  case hostBack
  /// Its host, or another member, goes on with it.
  case resumed
  /// Its host ended it.
  case ended
  /// The battery of its host's machine is low, percent.
  case batteryLow(UInt8)
  /// This node hosted it meanwhile, and its host is back.
  case handedBack
}

/// How far a session is.
public enum SessionState: String, Hashable, Sendable {
  /// Its host is here and goes on.
  case live
  /// Its host is away.
  case lost
  /// It was ended.
  case over
}

/// A hosted session, as it is shown.
public struct HostedView: Hashable, Sendable {
  /// Which.
  public let session: CaptionSessionKey
  /// Its parts, in the order of their hosts.
  public let parts: [CaptionSessionKey]
  /// What it is called.
  public let name: String
  /// Who hosts it, or did last.
  public let hostNode: NodeID
  /// What the host's device is called.
  public let host: String
  /// The line whose talk it has.
  public let line: String
  /// Whether the host's words alone are captioned.
  public let isSolo: Bool
  /// How far it is.
  public let state: SessionState
  /// Whether this node hosts it now.
  public let isOwn: Bool
  /// Whether this node's user joined it.
  public let isJoined: Bool
  /// Members that joined it, and up to where each read, milliseconds since it began.
  public let listeners: [NodeID: UInt32]
  /// How many chunks are held of it.
  public let chunks: Int
  /// How long it went on, as far as this node holds it.
  public let lastMilliseconds: UInt32
  /// The battery of the host's machine, percent; nil: it has none, or it is away.
  public let batteryPercent: UInt8?
}

/// Why a user's command about hosted sessions cannot be carried out.
public enum HostedError: Error, Hashable, Sendable {
  /// This node hosts one already.
  case isHosting
  /// It hosts none.
  case isNotHosting
  /// What a session is called has to be 1 to 63 bytes that can be seen.
  case badName
  /// Its host is here.
  case isLive(host: String)
  /// It was ended.
  case isOver
  /// It is not known.
  case unknown
  /// It is not joined.
  case notJoined
  /// So many are joined already.
  case tooMany
  /// This node's key cannot be used, or there is no room.
  case failed
}

extension HostedError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .isHosting: "this node hosts a session already; end that first: comlink session end"
    case .isNotHosting:
      "this node hosts no session; its host can end one, others leave it: comlink session leave"
    case .badName: "a session's name must have 1 to 63 bytes, and letters that can be seen"
    case .isLive(let host): "\(host) hosts that session; it can be continued when its host is gone"
    case .isOver: "that session was ended by its host; host a new one: comlink session host"
    case .unknown: "there is no such session; comlink session list has those there are"
    case .notJoined: "that session is not joined; comlink session list has those that are"
    case .tooMany:
      "\(CaptionLimits.seats) sessions are joined already; leave one first: comlink session leave"
    case .failed: "there is no room for another session; comlink captions clear deletes old ones"
    }
  }
}
