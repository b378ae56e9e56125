/// How much captions may take, whatever others send.
public enum CaptionLimits {
  /// The longest text of a chunk, bytes.
  public static let textBytes = 2000
  /// The longest name, role, scope and language tag, bytes.
  public static let nameBytes = 63
  static let languageBytes = 35
  /// The longest frame on the lane, octets.
  public static let frameBytes = 4096
  /// Chunks of a session: a day of talk.
  public static let chunks = 30_000
  /// Octets of a session's chunks.
  public static let sessionBytes = 8_000_000
  /// Octets of all sessions together.
  public static let totalBytes = 32_000_000
  /// Sessions that are held, of all captioners together.
  public static let sessions = 64
  /// Sessions that are held of one captioner: the newest.
  public static let sessionsPerCaptioner = 4
  /// Parts of hosted sessions that are held, of all hosts together.
  public static let parts = 128
  /// Parts that are held of one host.
  public static let partsPerHost = 8
  /// Sessions that a user can have joined at once.
  public static let seats = 8
  /// The least that a host's battery has without an alert, percent.
  public static let lowBatteryPercent: UInt8 = 15
  /// Nodes whose hello came before they were members.
  static let early = 256
  /// Ranges of chunks that a reader says that it has; of more it gets some twice.
  static let ranges = 200
  /// How often a captioner tells what there is, so that nothing stays missing.
  static let offerNanoseconds: Int64 = 20_000_000_000
  /// How often it is told what was read.
  static let readNanoseconds: Int64 = 2_000_000_000
  /// An answer to what a reader lacks takes less, as a rule.
  static let wantNanoseconds: Int64 = 500_000_000
  /// Clocks of two nodes, by what they tell each other, differ by less.
  static let refusalNanoseconds: Int64 = 2_000_000_000
  /// After so long it is tried again where the lane did not take a frame.
  static let retryNanoseconds: Int64 = 1_000_000_000
}

/// Why something of another node's captions is not taken.
public enum CaptionFault: String, Error, Hashable, Sendable, CaseIterable {
  /// A frame that nobody can mean.
  case malformed
  /// A text, name or range that is too long.
  case oversized
  /// A chunk of a session that its sender did not offer, as of somebody else's; counted, and not told.
  case unknownSession
  /// A chunk of somebody who refuses to be captioned.
  case refuser
  /// More than ``CaptionLimits`` hold.
  case full
  /// A session or chunk whose signature is not that of its host.
  case forged

  /// For people.
  public var words: String {
    switch self {
    case .malformed: "captions that cannot be read"
    case .oversized: "captions that are too long"
    case .unknownSession: "captions of a session that is not the sender's"
    case .refuser: "captions of somebody who refuses to be captioned"
    case .forged: "captions in the name of a host that did not make them"
    case .full: "more captions than there is room for"
    }
  }
}

extension Int64 {
  /// The sum, or the largest number.
  func saturating(adding other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}

/// Why a user's command about captions cannot be carried out.
public enum CaptionError: Error, Hashable, Sendable {
  /// This node captions already.
  case isOn
  /// It does not.
  case isOff
}

extension CaptionError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .isOn: "this node captions already; end that first: comlink captions off"
    case .isOff: "this node captions nothing; begin with: comlink captions on"
    }
  }
}
