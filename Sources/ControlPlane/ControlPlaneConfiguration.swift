public import Cryptography
public import Mesh

/// A control plane's address, and the limits of its connections in size and time.
public struct ControlPlaneConfiguration: Sendable {
  /// Times, all of a steady clock.
  public struct Times: Sendable {
    /// For TCP to connect: three SYN fit in.
    public var connectNanoseconds: Int64 = 3_500_000_000
    /// From the TCP connection to the end of TLS and the proof of groups.
    public var proofNanoseconds: Int64 = 5_000_000_000
    /// For the other end to take octets that wait.
    public var stallNanoseconds: Int64 = 10_000_000_000
    /// For what is under way to be sent when we close.
    public var closeNanoseconds: Int64 = 2_000_000_000
    /// For the other end's next frame in a pairing.
    public var pairingNanoseconds: Int64 = 10_000_000_000

    /// The usual times.
    public init() {}
  }

  /// Numbers.
  public struct Limits: Sendable {
    /// Connections others opened that proved nothing yet.
    public var unproven = 64
    /// Of these, from one address.
    public var unprovenPerAddress = 8
    /// Connections of all kinds beyond which nobody else is let in: the 512 that ``MeshLimits`` allows others to open,
    /// the unproven, and what we dial; well within the 1024 files that a process may have open as a rule.
    public var connections = 640
    /// Pairings at once that others opened, as many as a PIN bears; one of each address.
    public var pairings = 4
    /// Octets that wait for one connection to take them.
    public var waitingBytes = 1024 * 1024
    /// Proofs of groups on one connection within 10 s.
    public var proofs = 16
    /// Octets of a frame of a pairing.
    public var pairingBytes = 64 * 1024
    /// Octets of unfinished messages that are held, of all connections together.
    public var heldBytes = 32 * 1024 * 1024
    /// How much a stranger's message may take.
    public var stranger = MessageLimits.stranger
    /// How much a member's message may take.
    public var member = MessageLimits.member

    /// The usual numbers.
    public init() {}
  }

  /// Where to listen; port 0 is any free one.
  ///
  /// `[::]` is IPv6 and IPv4 both, and IPv4 alone where the system has no IPv6.
  public var address: NodeAddress
  /// How long things may take.
  public var times = Times()
  /// How many there may be.
  public var limits = Limits()
  /// Size of the kernel's buffers of each socket; nil: its own choice.
  public var socketBytes: Int?

  /// Makes a configuration.
  public init(address: NodeAddress) { self.address = address }

  /// All interfaces.
  public init(port: UInt16) { self.init(address: NodeAddress(.ipv6(0, 0), port: port)) }
}

/// The key that a node is known by, wherever it is kept: the seed does not come here.
///
/// Any thread; a signature takes a tenth of a millisecond and must not wait for anything.
public protocol ControlIdentity: Sendable {
  /// The half that everybody may know.
  var publicKey: PublicKey { get }

  /// Signs a message by the other half (Ed25519, RFC 8032).
  func signature(of message: RawSpan) throws(CryptoError) -> [UInt8]
}
