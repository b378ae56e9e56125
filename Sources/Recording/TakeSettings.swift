/// What to record, where, and how much at most.
public struct TakeSettings: Hashable, Sendable {
  /// 10 GB: a day and a half of eight talkers and the mix in Opus, nearly two hours in WAV.
  public static let defaultMaximumBytes = 10_000_000_000
  /// 1 GB: room for the system and its logs.
  public static let defaultKeptFreeBytes = 1_000_000_000

  /// An existing folder; the take gets one of its own in it.
  public var directory: String
  /// A file for each talker, the own microphone among them.
  public var keepsTalkers: Bool
  /// A file of the mix, stereo.
  public var keepsMix: Bool
  /// A file for each of these buses, mono.
  public var buses: [String] = []
  /// How the files are written.
  public var format: RecordingFormat
  /// Most bytes of all files of the take together.
  public var maximumBytes: Int
  /// The recording ends before the disk has less free than that, in bytes.
  public var keptFreeBytes: Int

  /// Everything as Opus, within the default bounds.
  public init(directory: String) {
    self.directory = directory
    keepsTalkers = true
    keepsMix = true
    format = .opus
    maximumBytes = Self.defaultMaximumBytes
    keptFreeBytes = Self.defaultKeptFreeBytes
  }
}

/// What the files of a take are labelled with.
public struct TakeLabels: Hashable, Sendable {
  /// Name of this node's own microphone track, as others see it.
  public var nodeName: String
  /// The software and its version.
  public var software: String
  /// When the take began, as the name of its folder: `2026-11-22_14.33.05`.
  public var moment: String
  /// What the serial numbers of Ogg streams count up from; another one each time.
  public var serial: UInt32

  /// Labels of a take.
  public init(nodeName: String, software: String, moment: String, serial: UInt32) {
    self.nodeName = nodeName
    self.software = software
    self.moment = moment
    self.serial = serial
  }

  /// The day of ``moment``.
  var day: String { String(moment.prefix { $0 != "_" }) }
}

/// A talker's name as a file's.
///
/// Names come from the network and may hold anything.
enum TalkerFileName {
  /// Longest name in bytes of UTF-8, far below what file systems take.
  static let maximumByteCount = 80
  /// What FAT and its kin do not take, besides what shells make much of.
  private static let refused: Set<Unicode.Scalar> = [
    "/", "\\", ":", "*", "?", "\"", "<", ">", "|", "$", "`", "'",
  ]

  /// The name with whatever a file system may refuse replaced; `unnamed` if nothing is left.
  static func sanitized(_ name: String) -> String {
    var result = ""
    for character in name {
      // By scalars: a slash with a mark over it is another character, and to the file system a slash.
      let isRefused = character.unicodeScalars.contains {
        refused.contains($0) || isControl($0.properties.generalCategory)
      }
      let shown: Character = isRefused ? "_" : character
      guard result.utf8.count + shown.utf8.count <= maximumByteCount else { break }
      result.append(shown)
    }
    // Names like "." are the file system's, and files whose names begin with a dot are hidden.
    while let first = result.unicodeScalars.first, [".", " ", "-"].contains(first) {
      result.removeFirst()
    }
    while let last = result.unicodeScalars.last, [".", " "].contains(last) { result.removeLast() }
    return result.allSatisfy { $0 == "_" } ? "unnamed" : result
  }

  /// `name`, or `name-2`, `name-3` … if it is taken; the case does not tell two names apart, as on FAT.
  static func unique(_ name: String, among taken: Set<String>) -> String {
    guard taken.contains(folded(name)) else { return name }
    var number = 2
    while taken.contains(folded("\(name)-\(number)")) { number += 1 }
    return "\(name)-\(number)"
  }

  /// The name as it is compared.
  static func folded(_ name: String) -> String { name.lowercased() }

  private static func isControl(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      true
    default: false
    }
  }
}
