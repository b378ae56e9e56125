internal import Cryptography

/// What nodes say to each other of audio on the lane's channel of files: one octet of kind, the audio's name (32), then
/// the rest.
enum AudioFrame: Hashable {
  /// Kind 1: asks for pieces: the first (4), how many (1).
  case want(AudioName, first: Int, count: Int)
  /// Kind 2: a piece: its number (4), the octets.
  case piece(AudioName, number: Int, [UInt8])
  /// Kind 3: this audio is not here.
  case none(AudioName)

  /// Pieces that are asked for at once.
  static let mostPieces = 16

  init(parsing octets: [UInt8]) throws(MessageFault) {
    var reader = OctetReader(octets)
    let kind = try reader.number(1)
    guard let name = AudioName(octets: Array(try reader.bytes(AudioName.byteCount))) else {
      throw .malformed
    }
    switch kind {
    case 1:
      let (first, count) = (Int(try reader.number(4)), Int(try reader.number(1)))
      guard (1...Self.mostPieces).contains(count) else { throw .malformed }
      self = .want(name, first: first, count: count)
    case 2:
      let number = Int(try reader.number(4))
      guard (1...Attachment.sealedPieceBytes).contains(reader.rest) else { throw .malformed }
      self = .piece(name, number: number, Array(try reader.bytes(reader.rest)))
    case 3: self = .none(name)
    default: throw .malformed
    }
    try reader.end()
  }

  var octets: [UInt8] {
    var writer = OctetWriter()
    switch self {
    case .want(let name, let first, let count):
      writer.bytes([1] + name.octets)
      writer.number(UInt64(first), byteCount: 4)
      writer.bytes([UInt8(count)])
    case .piece(let name, let number, let piece):
      writer.bytes([2] + name.octets)
      writer.number(UInt64(number), byteCount: 4)
      writer.bytes(piece)
    case .none(let name): writer.bytes([3] + name.octets)
    }
    return writer.octets
  }
}
