internal import ArgumentParser
internal import Lines
internal import WebService

/// What the user set of the assistant.
struct AssistantSettings: Hashable, Sendable {
  /// The language model's place; nil: there is no assistant.
  var place: WebPlace?
  /// What it is called there; empty: the server has one only.
  var model = ""
  /// The path of the file with the key that the server wants; empty: it wants none.
  var keyFile = ""
  /// What the assistant is called.
  var name = "Assistant"
  /// The colour to show it in, 24 bits of red, green and blue.
  var colourRGB: UInt32?
  /// What the model is told before all else; empty: what is usual.
  var prompt = ""
  /// What it may do.
  var tools: [AssistantTool] = []
  /// Days that sessions are kept, 0…3650; 0: none are.
  var days = 30
  /// A call ends when nobody says anything for so long, seconds, 5…600.
  var silenceSeconds = 30
  /// A call ends after so long, minutes, 1…120.
  var lengthMinutes = 10
  /// Whether each caller agrees for themselves.
  var isShared = false
  /// The line that hears answers of spoken calls; empty: the caller alone does.
  var line = ""
  /// Wake words that begin a call; empty: any that the service knows.
  var words: [String] = []

  /// The most of a prompt, bytes.
  private static let promptBytes = 4096

  /// Takes the value of a setting; throws words if it will not do.
  mutating func set(_ setting: Setting, to value: SettingValue) throws(SettingProblem) {
    switch (setting, value) {
    case (.assistantURL, .text(let text)): place = try Configuration.webPlace(text)
    case (.assistantModel, .text(let text)):
      guard text.utf8.count <= 200 else { throw .badValue("must have at most 200 bytes") }
      model = text
    case (.assistantKeyFile, .text(let text)): keyFile = try Configuration.filePath(text)
    case (.assistantName, .text(let text)): name = try Configuration.checkedName(text)
    case (.assistantColour, .text(let text)): colourRGB = try Configuration.colour(text)
    case (.assistantPrompt, .text(let text)):
      guard text.utf8.count <= Self.promptBytes else {
        throw .badValue("must have at most \(Self.promptBytes) bytes")
      }
      prompt = text
    case (.assistantTools, .list(let texts)): tools = try Self.tools(texts)
    case (.assistantDays, .integer(let days)):
      self.days = try Configuration.checked(days, within: 0...3650)
    case (.assistantSilence, .integer(let seconds)):
      silenceSeconds = try Configuration.checked(seconds, within: 5...600)
    case (.assistantLength, .integer(let minutes)):
      lengthMinutes = try Configuration.checked(minutes, within: 1...120)
    case (.assistantShared, .boolean(let isOn)): isShared = isOn
    case (.assistantLine, .text(let text)):
      guard text.isEmpty || (try? LineName(text)) != nil else {
        throw .badValue("must be the name of a line, not \"\(text)\"")
      }
      line = text
    case (.assistantWords, .list(let texts)):
      guard texts.count <= 16, texts.allSatisfy({ (1...64).contains($0.utf8.count) }) else {
        throw .badValue("must be at most 16 words of 1 to 64 bytes each")
      }
      words = texts
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  private static func tools(_ texts: [String]) throws(SettingProblem) -> [AssistantTool] {
    var tools: [AssistantTool] = []
    for text in texts {
      guard let tool = AssistantTool(rawValue: text) else {
        throw .badValue("must be of \(AssistantTool.words), not \"\(text)\"")
      }
      if !tools.contains(tool) { tools.append(tool) }
    }
    return tools
  }

  /// The value of a setting, as ``set(_:to:)`` takes it.
  func value(of setting: Setting) -> SettingValue {
    switch setting {
    case .assistantURL: .text(place?.text ?? "")
    case .assistantModel: .text(model)
    case .assistantKeyFile: .text(keyFile)
    case .assistantName: .text(name)
    case .assistantColour: .text(colourRGB.map { Configuration.text(ofColour: $0) } ?? "")
    case .assistantPrompt: .text(prompt)
    case .assistantTools: .list(tools.map(\.rawValue))
    case .assistantDays: .integer(days)
    case .assistantSilence: .integer(silenceSeconds)
    case .assistantLength: .integer(lengthMinutes)
    case .assistantLine: .text(line)
    case .assistantWords: .list(words)
    default: .boolean(isShared)
    }
  }

  /// What a setting does, in a line.
  static func summary(of setting: Setting) -> String {
    switch setting {
    case .assistantURL:
      "Base URL of the language model (OpenAI chat completions), http://127.0.0.1:8080/v1; empty: no assistant."
    case .assistantModel: "Name of the model at that server; empty: it has one only."
    case .assistantKeyFile: "File with the key that the server wants; empty: none."
    case .assistantName: "Name of the assistant, as others see it."
    case .assistantColour: "Colour to show the assistant in, hexadecimal RGB."
    case .assistantPrompt: "What the language model is told before all else; empty: the usual."
    case .assistantTools: "What the assistant may do, with its caller's rights; repeatable."
    case .assistantDays: "Days that sessions are kept, 0…3650, once the user agreed; 0: never."
    case .assistantSilence: "Silence that ends a call, seconds, 5…600."
    case .assistantLength: "Longest call, minutes, 1…120."
    case .assistantLine: "Line that hears answers of spoken calls; empty: the caller alone."
    case .assistantWords: "Wake word that begins a call; repeatable; none: any of speech-wake."
    default: "Each caller agrees for themselves, and sees their own sessions only."
    }
  }
}

/// The flags of the assistant.
struct AssistantFlags: ParsableArguments {
  @Option(help: Help.of(.assistantURL)) var assistantUrl: String?
  @Option(help: Help.of(.assistantModel)) var assistantModel: String?
  @Option(help: Help.of(.assistantKeyFile)) var assistantKeyFile: String?
  @Option(help: Help.of(.assistantName)) var assistantName: String?
  @Option(help: Help.of(.assistantColour)) var assistantColour: String?
  @Option(help: Help.of(.assistantPrompt)) var assistantPrompt: String?
  @Option(help: Help.of(.assistantTools)) var assistantTools: [String] = []
  @Option(help: Help.of(.assistantDays)) var assistantDays: String?
  @Option(help: Help.of(.assistantSilence)) var assistantSilence: String?
  @Option(help: Help.of(.assistantLength)) var assistantLength: String?
  @Option(help: Help.of(.assistantLine)) var assistantLine: String?
  @Option(help: Help.of(.assistantWords)) var assistantWords: [String] = []
  @Flag(inversion: .prefixedNo, help: Help.of(.assistantShared)) var assistantShared: Bool?

  /// What was given, without lists and switches.
  var texts: [(Setting, String?)] {
    [
      (.assistantURL, assistantUrl), (.assistantModel, assistantModel),
      (.assistantKeyFile, assistantKeyFile), (.assistantName, assistantName),
      (.assistantColour, assistantColour), (.assistantPrompt, assistantPrompt),
      (.assistantDays, assistantDays), (.assistantSilence, assistantSilence),
      (.assistantLength, assistantLength), (.assistantLine, assistantLine),
    ]
  }
}
