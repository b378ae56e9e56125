internal import CSodium

/// An error of this target; a datagram that fails authentication is counted by reason instead.
public enum CryptoError: Error, Hashable, Sendable {
  /// The system gives no random numbers, or the library does not start.
  case unavailable(what: String)
  /// Memory for a secret could not be had.
  case outOfMemory(bytes: Int)
  /// Malformed octets from outside: what was read, and the fault.
  case malformed(what: String, reason: String)
  /// A datagram was rejected, or could not be protected.
  case datagram(DatagramFault)
  /// Two nodes were not paired.
  case pairing(PairingFault)
  /// A text that should invite to a group does not: why, in words for whoever typed it.
  case invitation(reason: String)
  /// A name that no group can have: why.
  case groupName(reason: String)
}

extension CryptoError: CustomStringConvertible {
  /// The error in words for a person; secrets are never part of it.
  public var description: String {
    switch self {
    case .unavailable(let what): "this system has no \(what)"
    case .outOfMemory(let bytes): "not enough memory for a secret of \(bytes) bytes"
    case .malformed(let what, let reason): "\(what): \(reason)"
    case .datagram(let fault): "a datagram was rejected: \(fault.rawValue)"
    case .pairing(let fault): "pairing failed: \(Self.words(for: fault))"
    case .invitation(let reason): "not a group invitation: \(reason)"
    case .groupName(let reason): "invalid group name: \(reason)"
    }
  }

  private static func words(for fault: PairingFault) -> String {
    switch fault {
    case .malformed: "the other node sent a malformed message"
    case .outOfOrder: "the other node sent a message out of turn"
    case .wrongPIN: "wrong PIN, or an attacker between the two nodes"
    case .expired: "the PIN is older than two minutes; show a new one"
    case .usedUp: "the PIN is used up; show a new one"
    }
  }
}

/// The library's start, once a process, and its way to forget.
enum Sodium {
  private static let isReady = csodium_start() == 0

  /// Starts the library; every way to a secret leads through here.
  static func start() throws(CryptoError) {
    guard isReady else { throw .unavailable(what: "source of random numbers") }
  }

  /// Zeroes a copy of a secret before it goes; the compiler keeps it although nobody reads it again.
  static func zero(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { unsafe csodium_zero($0.baseAddress, $0.count) }
  }
}
