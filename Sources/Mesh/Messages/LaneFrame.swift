/// What the application lanes of two nodes say to each other.
public enum LaneFrame: Hashable, Sendable {
  /// The first on each connection, both ways: which state of the lane each end has.
  case resume(LaneResume)
  /// A part of what is sent on a channel.
  case chunk(LaneChunk)
  /// What came of a channel, and was taken.
  case receipt(LaneReceipt)
  /// The sender takes nothing more until its next resume, and says why.
  case refusal(words: String)
}

/// Which state of the lane the sender has, so that both know whether the streams of octets go on where they were.
public struct LaneResume: Hashable, Sendable {
  /// The number of the sender's state, above 0: another one knows nothing of what came before.
  public var own: UInt64
  /// The number that the receiver's state had when the sender saw it last; 0: never.
  public var other: UInt64

  /// Makes one.
  public init(own: UInt64, other: UInt64) {
    self.own = own
    self.other = other
  }
}

/// A part of the stream of octets of one channel.
public struct LaneChunk: Hashable, Sendable {
  /// Most octets of one.
  public static let maximumBytes = 16 * 1024

  /// The number of the channel, which the receiver may not know.
  public var channel: UInt64
  /// How many octets of the stream come before it.
  public var position: UInt64
  /// The part.
  public var octets: [UInt8]

  /// Makes a chunk.
  public init(channel: UInt64, position: UInt64, octets: [UInt8]) {
    self.channel = channel
    self.position = position
    self.octets = octets
  }
}

/// How far the sender is with the stream of one channel from the receiver.
public struct LaneReceipt: Hashable, Sendable {
  /// The number of the channel, which the receiver may not know.
  public var channel: UInt64
  /// How many octets of the stream are there.
  public var received: UInt64
  /// How many of them the consumer has done with: all messages up to there are acknowledged.
  public var taken: UInt64

  /// Makes a receipt.
  public init(channel: UInt64, received: UInt64, taken: UInt64) {
    self.channel = channel
    self.received = received
    self.taken = taken
  }
}

/// How it is written and read.
extension LaneFrame {
  /// The number that it has on the wire.
  var kind: UInt64 {
    switch self {
    case .resume: Message.Kind.laneResume
    case .chunk: Message.Kind.laneChunk
    case .receipt: Message.Kind.laneReceipt
    case .refusal: Message.Kind.laneRefusal
    }
  }

  func write(to writer: inout FieldWriter) {
    switch self {
    case .resume(let resume):
      writer.field(Message.Tag.ownLane, number: resume.own)
      writer.field(Message.Tag.otherLane, number: resume.other)
    case .chunk(let chunk):
      writer.field(Message.Tag.channel, number: chunk.channel)
      writer.field(Message.Tag.position, number: chunk.position)
      writer.field(Message.Tag.data, octets: chunk.octets)
    case .receipt(let receipt):
      writer.field(Message.Tag.channel, number: receipt.channel)
      writer.field(Message.Tag.position, number: receipt.received)
      writer.field(Message.Tag.taken, number: receipt.taken)
    case .refusal(let words): writer.field(Message.Tag.words, text: words)
    }
  }

  /// Reads the fields of a lane's message of a type.
  init(_ reader: inout FieldReader) throws(MeshError) {
    var numbers: [UInt64: UInt64] = [:]
    var octets: [UInt8]?
    var words = ""
    while let field = try reader.next() {
      switch field.tag {
      case Message.Tag.ownLane, Message.Tag.otherLane, Message.Tag.channel, Message.Tag.position,
        Message.Tag.taken:
        numbers[field.tag] = try reader.number(field)
      case Message.Tag.data: octets = Array(reader.octets[field.value])
      case Message.Tag.words: words = try reader.text(field)
      default: break
      }
    }
    func number(_ tag: UInt64) throws(MeshError) -> UInt64 {
      try reader.required(numbers[tag], tag)
    }
    switch reader.type {
    case Message.Kind.laneResume:
      self = .resume(
        LaneResume(
          own: try number(Message.Tag.ownLane), other: numbers[Message.Tag.otherLane] ?? 0))
    case Message.Kind.laneChunk:
      self = .chunk(
        LaneChunk(
          channel: try number(Message.Tag.channel), position: try number(Message.Tag.position),
          octets: try reader.required(octets, Message.Tag.data)))
    case Message.Kind.laneReceipt:
      self = .receipt(
        LaneReceipt(
          channel: try number(Message.Tag.channel), received: try number(Message.Tag.position),
          taken: try number(Message.Tag.taken)))
    default: self = .refusal(words: words)
    }
  }
}
