internal import Messages

/// Why something cannot be done with the assistant.
enum AssistantProblem: Error, Sendable {
  /// No language model is set.
  case off
  /// Nothing is set that turns speech into text and back.
  case mute
  /// The key cannot be read, why in words.
  case key(String)
  /// Nobody agreed to where what is said goes.
  case notAgreed
  /// As many calls as there may be go on.
  case full
  /// There is no such session, or it is somebody else's.
  case noSession
  /// The call is over, or was never begun.
  case over
  /// Nothing to say.
  case empty
  /// The caller's phone is no guest.
  case noPhone
  /// It is not for this caller to agree, or to see what is kept.
  case forbidden
  /// The turn or the call failed, why in words.
  case failed(String)
  /// The disk, why in words.
  case disk(JournalError)
}

extension AssistantProblem: CustomStringConvertible {
  /// One sentence for people: what is wrong, then what to do.
  var description: String {
    switch self {
    case .off:
      "there is no assistant here; set url in the table [assistant] of comlink.toml"
    case .mute:
      "this assistant has no ear and no voice; set asr and tts in the table [speech]"
    case .key(let words): words
    case .notAgreed:
      "nobody agreed yet to where what is said goes; read it: comlink assistant consent"
    case .full: "too many calls with the assistant go on; end one"
    case .noSession: "there is no such session; comlink assistant sessions shows which there are"
    case .over: "this call is over; begin another: comlink assistant call"
    case .empty: "there is nothing to say in it"
    case .noPhone: "this phone does not talk; press \"Talk with this phone\" first"
    case .forbidden:
      "that is for who has the right operate, as all at this station share one agreement"
    case .failed(let words): words
    case .disk(let error): "\(error)"
    }
  }
}
