internal import WebService
internal import Assistant
internal import Speech

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

  /// What leaves the node, where it goes, and what is kept: the settings in words.
  static func terms(_ settings: AssistantSettings, _ speech: SpeechSettings) -> String {
    var words = [
      "What is said to \(settings.name) is sent as text to the language model "
        + (settings.model.isEmpty ? "" : "\(settings.model) ")
        + "at \(settings.place?.text ?? "")\(place(settings))."
    ]
    if let recogniser = speech.asr, let speaker = speech.tts {
      words.append(
        "In a spoken call the microphone's sound goes to \(recogniser)\(place(recogniser)), and answers to "
          + "\(speaker)\(place(speaker)).")
    }
    if let wake = speech.wake {
      words.append(
        "Between calls the microphone's sound goes to \(wake)\(place(wake)), which listens for "
          + (settings.words.isEmpty
            ? "a wake word." : "the wake words \(settings.words.joined(separator: ", ")).")
      )
    }
    if !settings.line.isEmpty {
      words.append("Answers of spoken calls are heard by all on line \"\(settings.line)\".")
    }
    words.append(
      settings.tools.isEmpty
        ? "Nothing else of this node is sent there."
        : "What it asks of this node is sent there, too: "
          + settings.tools.map(\.rawValue).joined(separator: ", ") + ".")
    words.append(
      settings.days == 0
        ? "Nothing of it is kept on this node."
        : "What was said is kept on this node for \(settings.days) days, if you agree to that too, with a title and a "
          + "summary that the same model makes; else nothing of it is kept here.")
    words.append("What the language model's server keeps is up to that server.")
    words.append(
      "A spoken call ends after \(settings.silenceSeconds) s of silence, any after \(settings.lengthMinutes) minutes. "
        + (settings.isShared ? "Everybody who calls agrees for themselves. " : "")
        + "All of this is set in the tables [assistant] and [speech] of comlink.toml.")
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
