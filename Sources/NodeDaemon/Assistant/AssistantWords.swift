internal import Assistant
internal import Glibc
internal import Speech
internal import System

/// What the assistant is told, and what people are told of it.
enum AssistantWords {
  /// What the model is told before all else, unless the user has another.
  static func prompt(named name: String) -> String {
    """
    You are \(name), the assistant of a voice intercom. People who work with their hands ask you something and hear \
    your answer, so answer in one to three short plain sentences, without lists, markup or links. Use the tools that \
    you are given, and say so when you do not know something.
    """
  }

  /// What leaves the node, where it goes, and what is kept.
  static func terms(_ settings: AssistantSettings, _ speech: SpeechSettings) -> String {
    var words = [
      "What is said to \(settings.name) is sent as text to the language model at "
        + "\(settings.place?.text ?? "")\(place(settings))."
    ]
    if let recogniser = speech.asr, let speaker = speech.tts {
      words.append(
        "In a spoken call the microphone's sound goes to \(recogniser)\(place(recogniser)), and answers to "
          + "\(speaker)\(place(speaker)).")
    }
    words.append(
      settings.tools.isEmpty
        ? "Nothing else of this node is sent there."
        : "What it asks of this node is sent there, too: "
          + settings.tools.map(\.rawValue).joined(separator: ", ") + ".")
    words.append(
      settings.days == 0
        ? "Nothing of it is kept on this node."
        : "With --keep, what was said is kept on this node for \(settings.days) days, with a title and a summary that "
          + "the same model makes; with --forget, nothing of it is kept here.")
    words.append("What the language model's server keeps is up to that server.")
    return words.joined(separator: " ")
  }

  private static func place(_ settings: AssistantSettings) -> String {
    guard let place = settings.place else { return "" }
    if place.isThisMachine { return ", on this machine" }
    return place.isSecure
      ? ", another machine, encrypted on the way"
      : ", another machine, readable for everybody on the way"
  }
}

extension AssistantWords {
  private static func place(_ service: ServiceAddress) -> String {
    service.isLoopback
      ? ", on this machine" : ", another machine, readable for everybody on the way"
  }
}

/// The key that a language model's server wants.
enum AssistantKey {
  private static let mostBytes = 4096

  /// Reads the first line of a file; nil: no file is named.
  static func read(_ path: String) throws(AssistantProblem) -> String? {
    guard !path.isEmpty else { return nil }
    let file = SystemCall.result { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else {
      throw .key("assistant-key-file \(path) cannot be read: \(errorWords(Int32(file)))")
    }
    let opened = Descriptor(owning: Int32(file))
    var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
    let count = SystemCall.result { unsafe Glibc.read(opened.number, &bytes, bytes.count) }
    guard count >= 0 else {
      throw .key("assistant-key-file \(path) cannot be read: \(errorWords(Int32(count)))")
    }
    let line = bytes.prefix(count).prefix { $0 > 0x20 && $0 < 0x7F }
    guard (1...mostBytes).contains(line.count) else {
      throw .key("assistant-key-file \(path) has no key in its first line; put it there, alone")
    }
    return String(decoding: line, as: UTF8.self)
  }
}
