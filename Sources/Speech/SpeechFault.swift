/// What can go wrong between this node and a speech service.
public enum SpeechFault: String, Error, Hashable, Sendable, CaseIterable {
  /// It cannot be connected to.
  case unreachable
  /// It ended the connection before it was done.
  case gone
  /// It did not answer in time.
  case late
  /// What it sends is not Wyoming.
  case malformed
  /// A line, its data, a block of sound or the whole answer is longer than is taken.
  case oversized
  /// It sent what belongs to no answer of this kind.
  case unexpected
  /// It says that it failed.
  case refused
  /// It takes sound more slowly than it is spoken.
  case behind
  /// This node called it off.
  case stopped
}

extension SpeechFault: CustomStringConvertible {
  /// One sentence for people: what is wrong, then what to do.
  public var description: String {
    switch self {
    case .unreachable:
      "the speech service does not answer; start it, or correct its address in [speech]"
    case .gone: "the speech service ended the connection; look at its log"
    case .late: "the speech service did not answer in time; use a smaller model or a faster machine"
    case .malformed: "the speech service does not speak Wyoming; correct its address in [speech]"
    case .oversized: "the speech service sends more than an answer can be; look at its log"
    case .unexpected: "the speech service answers something else; check which kind of service it is"
    case .refused: "the speech service says that it failed; look at its log"
    case .behind:
      "the speech service is slower than speech; use a smaller model or a faster machine"
    case .stopped: "the speech service was called off; ask again"
    }
  }
}
