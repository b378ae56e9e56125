/// Why some audio does not become a voice message, or cannot be played.
public enum ClipError: Error, Hashable, Sendable {
  /// The file has more octets than a message may.
  case tooLarge(byteCount: Int)
  /// It sounds for longer than a message may.
  case tooLong
  /// There is nothing to hear in it.
  case empty
  /// By its content it is of no kind that can be read.
  case unknownKind
  /// It is damaged or cut off, or says what is not so.
  case damaged(kind: String)
  /// Decoding took too long, or too much memory.
  case tooMuch(kind: String)
  /// What decodes it is not installed.
  case missing(kind: String, package: String)
  /// The program that decodes could not be run.
  case decoder(words: String)
  /// No memory, or no codec.
  case audio(words: String)
}

extension ClipError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .tooLarge(let count):
      "the file has \(ByteCount.words(count)); a voice message has at most 10 MiB: send it in parts"
    case .tooLong:
      "it sounds for more than \(ClipLimits.seconds / 60) minutes; send it in parts"
    case .empty: "there is nothing to hear in it; record, or name a file with sound"
    case .unknownKind:
      "no audio that can be read: send WAV, MP3, Ogg, FLAC or M4A; the file's content counts, not its name"
    case .damaged(let kind): "the \(kind) file is damaged or cut off; export it again and send that"
    case .tooMuch(let kind):
      "decoding the \(kind) file takes too long or too much memory; export it as WAV and send that"
    case .missing(let kind, let package):
      "\(kind) needs the package \(package): sudo apt install \(package), then send it again"
    case .decoder(let words): "comlink-decode cannot be run: \(words); install Comlink again"
    case .audio(let words): words
    }
  }
}

/// How much a voice message may be.
public enum ClipLimits {
  /// Octets of a file, as it is given and as it is sent.
  public static let fileBytes = 10 * 1024 * 1024
  /// How long one may sound, seconds.
  public static let seconds = 600
  /// From here on who records is warned, seconds.
  public static let warningSeconds = 540
  /// Hertz.
  static let sampleRate = 48_000
  /// Bits per second that the codec aims at.
  static let bitsPerSecond = 32_000
  /// Points of a waveform that are measured each second, and kept at most of all.
  static let peaksPerSecond = 100
  static let peaks = 1000
}

/// What kind of audio a file is, by its first octets, whatever its name says.
public enum AudioKind: String, Sendable, CaseIterable {
  /// RIFF or RF64.
  case wav = "WAV"
  /// FLAC.
  case flac = "FLAC"
  /// Ogg: Vorbis or Opus.
  case ogg = "Ogg"
  /// MPEG layer III.
  case mp3 = "MP3"
  /// MPEG-4: AAC or ALAC.
  case m4a = "M4A"

  /// By a file's content; nil: none of these.
  public init?(of file: [UInt8]) {
    func has(_ word: String, at offset: Int) -> Bool {
      file.count >= offset + word.utf8.count && file[offset...].starts(with: word.utf8)
    }
    if has("RIFF", at: 0) || has("RF64", at: 0), has("WAVE", at: 8) {
      self = .wav
    } else if has("fLaC", at: 0) {
      self = .flac
    } else if has("OggS", at: 0) {
      self = .ogg
    } else if has("ftyp", at: 4) {
      self = .m4a
    } else if has("ID3", at: 0) || Self.isLayer3(file) {
      self = .mp3
    } else {
      return nil
    }
  }

  /// A frame of layer III: eleven bits of ones, then version, layer, rates that there are (ISO/IEC 11172-3 §2.4.2.3).
  private static func isLayer3(_ file: [UInt8]) -> Bool {
    guard file.count > 3, file[0] == 0xFF, file[1] & 0xE0 == 0xE0 else { return false }
    let (version, layer) = (file[1] >> 3 & 3, file[1] >> 1 & 3)
    return version != 1 && layer == 1 && file[2] >> 4 != 15 && file[2] >> 2 & 3 != 3
  }
}
