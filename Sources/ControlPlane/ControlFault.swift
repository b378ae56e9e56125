public import Cryptography
public import Mesh

/// Why a connection or an attempt failed, for the log.
public struct ControlFault: Hashable, Sendable, CustomStringConvertible {
  /// What it is counted as.
  public enum Reason: String, CaseIterable, Sendable {
    /// No answer to the connection.
    case unreachable
    /// TLS failed: no TLS 1.3, no certificate, none of Ed25519, octets changed on the way.
    case tls
    /// The certificate is of no Ed25519 key, or the other end was not made to prove one.
    case foreignKey
    /// The other end wants another protocol, or an unknown one.
    case wrongPurpose
    /// TLS and the proof of groups took too long.
    case lateProof
    /// Gone before it proved anything, as after a scan of ports.
    case gone
    /// Too many connections that proved nothing, or in all.
    case crowded
    /// Too many connections that proved nothing from one address.
    case crowdedAddress
    /// A message above the size limit.
    case oversized
    /// It held the most of the unfinished messages when all together were too long.
    case overfull
    /// A malformed message.
    case malformed
    /// A message that took too long.
    case slow
    /// A message before the proof of groups, or a second challenge.
    case outOfTurn
    /// Too many group proofs.
    case proofFlood
    /// The other end does not read.
    case stalled
    /// TLS or TCP broke under a connection that stood.
    case broken
    /// More pairings at once than a PIN bears, or than one of an address.
    case pairingBusy
    /// It broke a rule of the application lane, of which nothing more is taken for a minute.
    case lane
    /// It went on sending on the application lane after that.
    case laneFlood
    /// The system gives no socket or no random numbers.
    case system
  }

  /// What it is counted as.
  public let reason: Reason
  /// What happened, without the address.
  public let words: String
  /// The other end; nil where there was none.
  public let remote: NodeAddress?
  /// Its proved identity, if any.
  public let node: NodeID?
  /// The failed attempt.
  public let attempt: AttemptID?
  /// The connection that ended, if it had been reported.
  public let connection: ConnectionID?

  init(
    _ reason: Reason, _ words: String, remote: NodeAddress? = nil, node: NodeID? = nil,
    attempt: AttemptID? = nil, connection: ConnectionID? = nil
  ) {
    self.reason = reason
    self.words = words
    self.remote = remote
    self.node = node
    self.attempt = attempt
    self.connection = connection
  }

  /// One line for people.
  public var description: String {
    remote.map { "connection \(attempt == nil ? "with" : "to") \($0.text): \(words)" } ?? words
  }
}

extension ControlFault.Reason {
  /// What an error of the messages is counted as.
  init(_ error: MeshError) {
    self =
      switch error {
      case .oversized: .oversized
      case .slow: .slow
      case .truncated, .malformed, .version: .malformed
      }
  }
}

/// An error of the control plane.
public enum ControlPlaneError: Error, Hashable, Sendable {
  /// The node's key cannot be used for TLS.
  case identity(words: String)
  /// Somebody else listens there.
  case addressInUse(address: String)
  /// It cannot listen there for another reason.
  case listening(address: String, words: String)
  /// A pairing connection failed, or ended.
  case connection(words: String)
  /// The other end of a pairing took too long.
  case late(seconds: Int)
  /// A frame of a pairing is empty or too long.
  case frame(byteCount: Int, maximum: Int)
  /// The control plane does not run, or no more.
  case stopped
}

extension ControlPlaneError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .identity(let words): "this node's key cannot be used for control connections: \(words)"
    case .addressInUse(let address):
      "cannot listen for control connections at \(address): another program does; "
        + "stop it or choose another port"
    case .listening(let address, let words):
      "cannot listen for control connections at \(address): \(words)"
    case .connection(let words): "the pairing connection failed: \(words)"
    case .late(let seconds): "the other node was silent for \(seconds) s"
    case .frame(let byteCount, let maximum):
      "a frame of a pairing has \(byteCount) bytes instead of 1 to \(maximum)"
    case .stopped: "control connections are stopped"
    }
  }
}
