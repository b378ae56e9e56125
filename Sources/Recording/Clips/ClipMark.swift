/// That a voice message was at another service: it stands in its file, and so goes wherever the sound goes.
///
/// Services, programs and nodes pass the file on as it is; whoever decodes it into another message keeps the mark.
public enum ClipMark {
  /// A comment of Ogg Opus (RFC 7845 §5.2).
  static let comment = "COMLINK_MIRRORED=1"
  /// They have room in one page (RFC 3533 §6).
  private static let mostTagsBytes = 60_000

  /// Whether a file has the mark; any file that anybody may have made.
  public static func isMirrored(_ file: [UInt8]) -> Bool {
    guard AudioKind(of: file) == .ogg else { return false }
    var reader = OggReader(file)
    let packets = reader.packets(atMost: 2)
    return packets.count > 1 && OpusTags(packets[1])?.has(comment) == true
  }

  /// A voice message's file with the mark, every octet of sound as it was; nil: it is no such file.
  public static func mirrored(_ file: [UInt8]) -> [UInt8]? {
    var reader = OggReader(file)
    let packets = reader.packets(atMost: 2)
    // Each is alone on its page (RFC 7845 §3).
    guard packets.count == 2, let serial = reader.serial, var tags = OpusTags(packets[1]),
      let stream = OggStream(serial: serial)
    else { return nil }
    guard !tags.has(comment) else { return file }
    tags.add(comment)
    guard tags.octets.count <= mostTagsBytes else { return nil }
    var marked: [UInt8] = []
    for packet in [packets[0], tags.octets] {
      guard stream.add(packet.span, granule: 0, isLast: false),
        let page = stream.nextPage(isFlushing: true)
      else { return nil }
      marked += page
    }
    return marked + file[reader.offset...]
  }
}

/// The second packet of Ogg Opus (RFC 7845 §5.2), whoever wrote it.
private struct OpusTags {
  private static let magic = Array("OpusTags".utf8)

  private(set) var octets: [UInt8]
  private var comments: [[UInt8]] = []
  private let countPlace: Int
  /// Behind the last comment; what follows is padding.
  private var end: Int

  /// Nil: it is none.
  init?(_ octets: [UInt8]) {
    self.octets = octets
    guard octets.starts(with: Self.magic) else { return nil }
    end = Self.magic.count
    guard let vendorBytes = Self.number(octets, end), vendorBytes <= octets.count - end - 4 else {
      return nil
    }
    countPlace = end + 4 + vendorBytes
    end = countPlace + 4
    guard let count = Self.number(octets, countPlace) else { return nil }
    while comments.count < count {
      guard let length = Self.number(octets, end), length <= octets.count - end - 4 else {
        return nil
      }
      comments.append(Array(octets[end + 4..<end + 4 + length]))
      end += 4 + length
    }
  }

  private static func number(_ octets: [UInt8], _ place: Int) -> Int? {
    guard place + 4 <= octets.count else { return nil }
    return (0..<4).reduce(0) { $0 | Int(octets[place + $1]) << (8 * $1) }
  }

  private static func octets(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  func has(_ comment: String) -> Bool { comments.contains(Array(comment.utf8)) }

  mutating func add(_ comment: String) {
    let added = Array(comment.utf8)
    octets.insert(contentsOf: Self.octets(added.count) + added, at: end)
    comments.append(added)
    end += 4 + added.count
    octets.replaceSubrange(countPlace..<countPlace + 4, with: Self.octets(comments.count))
  }
}
