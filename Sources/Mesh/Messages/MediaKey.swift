/// The key of a stream of the sender's, and which stream that is, for who is in its audience.
///
/// A stream is a source for an audience, and has an SSRC, a sequence of packets and keys of its own. Its first key
/// opens it, ``StreamEnd`` ends it; a key with another source, audience or SSRC moves it.
public struct MediaKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Most octets of key material.
  public static let maximumBytes = 256
  /// Most streams of one node.
  public static let maximumStreams = 24
  /// The first of the sources that are guests of the node: people at browsers, with a name each.
  public static let firstGuestSource = 32
  /// Sources that a node can tell apart.
  public static let maximumSources = 64

  /// Which of the sender's streams it is for, 0 ..< ``maximumStreams``; 0 is the one for all members, by which
  /// reports go too.
  public var stream: Int
  /// What is spoken into: 0 the microphone, further inputs from 1 on, below ``maximumSources``.
  public var source: Int
  /// What that is called, for who hears it, at most ``NodeProfile/maximumTextBytes``; empty: the microphone.
  public var sourceName: String
  /// A colour to show it in, 24 bits of red, green and blue; nil: its node's.
  public var sourceColourRGB: UInt32?
  /// Whom the stream is for.
  public var audience: StreamAudience
  /// The stream's SSRC; that of its RTX packets is the complement.
  public var ssrc: UInt32
  /// Grows with every roll of that stream's key, and when the number of the stream is used again.
  public var epoch: UInt64
  /// Key and salt, opaque here.
  public var octets: [UInt8]

  /// Makes a key.
  public init(
    stream: Int, source: Int = 0, sourceName: String = "", audience: StreamAudience = .everyone,
    ssrc: UInt32, epoch: UInt64, octets: [UInt8]
  ) {
    self.stream = stream
    (self.source, self.sourceName) = (source, sourceName)
    self.audience = audience
    self.ssrc = ssrc
    self.epoch = epoch
    self.octets = octets
  }

  /// Which key it is, without the key.
  public var description: String { "MediaKey(stream: \(stream), epoch: \(epoch))" }
  /// The same.
  public var debugDescription: String { description }
  /// The same, so that `dump` shows no secret either.
  public var customMirror: Mirror {
    Mirror(self, children: ["stream": stream, "epoch": epoch])
  }
}

/// Whom a stream is for, as its sender calls them: compared with other audiences of that sender, and not understood.
///
/// With the source it is the stream's identity to those who hear it.
public struct StreamAudience: Hashable, Sendable {
  /// Most octets of its name.
  public static let maximumBytes = 32
  /// All members of the sender.
  public static let everyone = StreamAudience(octets: [])

  /// Its name, at most ``maximumBytes``; none: ``everyone``.
  public let octets: [UInt8]

  /// The audience of a name.
  public init(octets: [UInt8]) { self.octets = Array(octets.prefix(Self.maximumBytes)) }
}

/// The sender has ended a stream, or the receiver is no longer in its audience.
public struct StreamEnd: Hashable, Sendable {
  /// Which of the sender's streams, 0 ..< ``MediaKey/maximumStreams``.
  public var stream: Int

  /// Ends a stream.
  public init(stream: Int) { self.stream = stream }
}
