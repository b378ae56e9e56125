internal import Cryptography

/// What a transcript says of itself.
public struct TranscriptTitle: Hashable, Sendable {
  /// By which its session is known.
  public let session: String
  /// Who captions, by name.
  public let captioner: String
  /// What is captioned, in their words.
  public let scope: String

  /// Makes a title.
  public init(session: String, captioner: String, scope: String) {
    (self.session, self.captioner, self.scope) = (session, captioner, scope)
  }
}

/// How a transcript is written to a file.
///
/// All that comes from others (names, roles, texts) is made safe: in a terminal it sends no command and turns no line
/// around, and in its format it is text, and nothing else. JSON keeps such characters, escaped.
public enum TranscriptFormat: String, CaseIterable, Sendable {
  /// Lines for people: when, who, what.
  case text = "txt"
  /// Subtitles of SubRip, as players take them.
  case subRip = "srt"
  /// Subtitles of W3C's WebVTT, for `<track>` in a browser.
  case webVTT = "vtt"
  /// A line of JSON for each chunk, after one of the session.
  case json = "jsonl"

  /// The least that a subtitle stands: what the recogniser cannot tell the length of is read all the same.
  private static let leastMilliseconds: UInt64 = 1000

  /// What the file begins with.
  public func head(_ title: TranscriptTitle) -> String {
    switch self {
    case .text:
      "Captions of \(Self.plain(title.scope)), by \(Self.plain(title.captioner)), "
        + "session \(Self.plain(title.session))\n\n"
    case .subRip: ""
    // The line may not have an arrow in it; nothing else means anything there.
    case .webVTT: "WEBVTT - \(Self.webVTT("\(title.scope), by \(title.captioner)"))\n\n"
    case .json:
      "{\"session\":\(Self.json(title.session)),\"captioner\":\(Self.json(title.captioner)),"
        + "\"scope\":\(Self.json(title.scope))}\n"
    }
  }

  /// A chunk.
  ///
  /// - Parameters:
  ///   - number: how many are before it in the file.
  ///   - name: what the talker is called.
  public func text(_ chunk: CaptionChunk, number: Int, name: String) -> String {
    let start = UInt64(chunk.startMilliseconds)
    let end = start + max(Self.leastMilliseconds, UInt64(chunk.durationMilliseconds))
    let role = chunk.talker.role
    let who = role.isEmpty ? name : "\(name) (\(role))"
    let isMarker = chunk.isMarker
    switch self {
    case .text:
      let time = Self.time(start, fraction: nil)
      return "\(time)  \(isMarker ? "*" : "\(Self.plain(who)):") \(Self.plain(chunk.text))\n"
    case .subRip:
      return """
        \(number + 1)
        \(Self.time(start, fraction: ",")) --> \(Self.time(end, fraction: ","))
        \(Self.subRip(isMarker ? "[\(chunk.text)]" : "\(who): \(chunk.text)"))


        """
    case .webVTT:
      return """
        \(Self.time(start, fraction: ".")) --> \(Self.time(end, fraction: "."))
        \(isMarker ? "[\(Self.webVTT(chunk.text))]" : "<v \(Self.webVTT(who))>\(Self.webVTT(chunk.text))")


        """
    case .json: return Self.json(chunk, name)
    }
  }

  private static func json(_ chunk: CaptionChunk, _ name: String) -> String {
    var fields = [
      "\"index\":\(chunk.index)", "\"start\":\(seconds(chunk.startMilliseconds))",
      "\"duration\":\(seconds(chunk.durationMilliseconds))", "\"talker\":\(json(name))",
      "\"talkerID\":\(json(chunk.talker.node.text))",
    ]
    if !chunk.talker.role.isEmpty { fields.append("\"role\":\(json(chunk.talker.role))") }
    if let colour = chunk.talker.colourRGB {
      let digits = String(colour, radix: 16)
      let zeros = String(repeating: "0", count: max(0, 6 - digits.count))
      fields.append("\"colour\":\"\(zeros)\(digits)\"")
    }
    if !chunk.language.isEmpty { fields.append("\"language\":\(json(chunk.language))") }
    if let percent = chunk.confidencePercent {
      fields.append("\"confidence\":\(seconds(UInt32(percent) * 10))")
    }
    if chunk.isMarker { fields.append("\"marker\":true") }
    fields.append("\"text\":\(json(chunk.text))")
    return "{\(fields.joined(separator: ","))}\n"
  }

  // MARK: Numbers

  /// Hours, minutes and seconds, two digits each or more, and thousandths after `fraction`.
  private static func time(_ milliseconds: UInt64, fraction: String?) -> String {
    let seconds = milliseconds / 1000
    let whole = [seconds / 3600, seconds / 60 % 60, seconds % 60]
      .map { padded($0, digits: 2) }.joined(separator: ":")
    return fraction.map { whole + $0 + padded(milliseconds % 1000, digits: 3) } ?? whole
  }

  private static func seconds(_ milliseconds: UInt32) -> String {
    "\(milliseconds / 1000).\(padded(UInt64(milliseconds % 1000), digits: 3))"
  }

  private static func padded(_ number: UInt64, digits: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  // MARK: Texts

  /// In one line, without what could command a terminal or turn its lines around.
  static func plain(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .lineSeparator, .paragraphSeparator: result.append(" ")
      case .control where scalar.properties.isWhitespace: result.append(" ")
      // Joiners are part of the spelling of some languages, and of emoji.
      case .format where scalar.value == 0x200C || scalar.value == 0x200D: result.append(scalar)
      case .control, .format, .surrogate, .privateUse, .unassigned: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Players take tags in angle brackets and commands after a brace and a backslash; SubRip has no escapes.
  private static func subRip(_ text: String) -> String {
    String(
      plain(text).map { character in
        switch character {
        case "<": "‹"
        case ">": "›"
        case "{": "("
        case "}": ")"
        default: character
        }
      })
  }

  private static func webVTT(_ text: String) -> String {
    var result = ""
    for character in plain(text) {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
    return result
  }

  /// A string of JSON, in which whatever is not seen is escaped.
  private static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\"
        result.unicodeScalars.append(scalar)
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}
