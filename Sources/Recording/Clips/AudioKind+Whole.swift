/// Whether a file is all there, by the lengths that it states of itself: what was cut off on its way would else be sent
/// as a message that ends in the middle of a word.
///
/// A length that stands for "not known yet", as programs write it into a pipe, states nothing.
extension AudioKind {
  /// Of a length that some octets of the file's end are missing of: a writer that counted wrong is no cut.
  private static func isMuch(_ missing: Int, of stated: Int) -> Bool {
    missing > max(1024, stated / 100)
  }

  /// Whether the end of a file of this kind is missing.
  func isCut(_ file: [UInt8]) -> Bool {
    let reader = LengthReader(file)
    return switch self {
    case .wav: reader.isWAVCut(Self.isMuch)
    case .ogg: reader.isOggCut
    case .mp3: reader.isMP3Cut(Self.isMuch)
    case .m4a: reader.isM4ACut
    case .flac: false
    }
  }

  /// How long a file of this kind says that it sounds; nil: it does not say it at its beginning.
  func statedMilliseconds(of file: [UInt8]) -> Int? {
    self == .flac ? LengthReader(file).flacMilliseconds : nil
  }
}

/// Lengths that files state.
///
/// Looks at each octet once at most.
private struct LengthReader {
  /// From here on 32 bits are what programs write where they do not know: 2³¹ or 2³², less some headers.
  private static let unknownBytes: UInt64 = 0x7FFF_0000

  private let file: [UInt8]

  init(_ file: [UInt8]) { self.file = file }

  private func has(_ word: String, at offset: Int) -> Bool {
    file.count >= offset + word.utf8.count && file[offset...].starts(with: word.utf8)
  }

  /// The lowest octet first; 0 where the file ends before.
  private func little(_ offset: Int, _ count: Int) -> UInt64 {
    guard offset + count <= file.count else { return 0 }
    return file[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The highest octet first; 0 where the file ends before.
  private func big(_ offset: Int, _ count: Int) -> UInt64 {
    guard offset + count <= file.count else { return 0 }
    return file[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The chunk `data` (RIFF), whose length is in `ds64` where 32 bits do not hold it (EBU Tech 3306 §3).
  func isWAVCut(_ isMuch: (_ missing: Int, _ stated: Int) -> Bool) -> Bool {
    var offset = 12
    var long: UInt64 = .max
    while offset + 8 <= file.count {
      let size = little(offset + 4, 4)
      if has("ds64", at: offset), size >= 16, offset + 24 <= file.count {
        long = little(offset + 16, 8)
      }
      if has("data", at: offset) {
        let isLong = size == UInt64(UInt32.max) && long < .max
        guard isLong || size < Self.unknownBytes else { return false }
        let stated = Int(clamping: isLong ? long : size)
        return isMuch(stated - (file.count - offset - 8), stated)
      }
      guard size <= UInt64(file.count) else { return false }
      offset += 8 + Int(size + size % 2)
    }
    return false
  }

  /// Pages (RFC 3533 §6), the last of which ends with the file.
  var isOggCut: Bool {
    var offset = 0
    while has("OggS", at: offset) {
      guard offset + 27 <= file.count else { return true }
      let table = offset + 27
      let body = table + Int(file[offset + 26])
      guard body <= file.count else { return true }
      offset = file[table..<body].reduce(body) { $0 + Int($1) }
    }
    return offset > file.count
  }

  /// Boxes (ISO/IEC 14496-12 §4.2), the last of which ends with the file.
  var isM4ACut: Bool {
    var offset = 0
    while offset + 8 <= file.count {
      let short = big(offset, 4)
      let size = short == 1 ? big(offset + 8, 8) : short
      // 0: as far as the file goes.
      guard size >= 8 else { return false }
      guard size <= UInt64(file.count - offset) else { return true }
      offset += Int(size)
    }
    return false
  }

  /// The octets of the tag `Xing` or `Info`, which most encoders put into a first frame, behind its side information
  /// (ISO/IEC 11172-3 §2.4.1.7).
  func isMP3Cut(_ isMuch: (_ missing: Int, _ stated: Int) -> Bool) -> Bool {
    var frame = 0
    if has("ID3", at: 0) {
      // Seven bits an octet.
      frame = 10 + (6..<10).reduce(0) { $0 << 7 | Int(big($1, 1) & 0x7F) }
    }
    let (version, mode) = (big(frame + 1, 1) >> 3 & 3, big(frame + 3, 1) >> 6)
    let side = version == 3 ? (mode == 3 ? 17 : 32) : (mode == 3 ? 9 : 17)
    let tag = frame + 4 + side
    guard has("Xing", at: tag) || has("Info", at: tag) else { return false }
    let flags = big(tag + 4, 4)
    guard flags & 2 != 0 else { return false }
    let stated = Int(clamping: big(tag + 8 + (flags & 1 != 0 ? 4 : 0), 4))
    return isMuch(stated - (file.count - frame), stated)
  }

  /// Of STREAMINFO (RFC 9639 §8.2); 0 samples: not known.
  var flacMilliseconds: Int? {
    let (rate, samples) = (big(18, 3) >> 4, big(21, 5) & 0xF_FFFF_FFFF)
    return rate == 0 || samples == 0 ? nil : Int(clamping: samples * 1000 / rate)
  }
}
