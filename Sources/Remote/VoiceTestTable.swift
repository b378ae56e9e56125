public import StatusSchema

/// What a microphone is like, in words and with what to do.
extension TestTable {
  /// From where on a voice is loud enough, and to where it is not too loud, dBFS.
  private static let goodLevels = -36.0 ... -14.0
  /// What is quieter than that no gain makes good.
  private static let faintLevel = -46.0
  /// Below that nothing is connected.
  private static let silentPeak = -90.0
  /// From how much above the noise on speech is clear, needs light suppression, needs a strong one.
  private static let (clear, light, strong) = (30.0, 20.0, 10.0)
  /// Some samples at the highest peak are in any voice.
  private static let leastClipping = 0.02
  /// What is heard of a headset is no echo.
  private static let leastEcho = -45.0

  /// A microphone test's, each line ended by a line end.
  public static func text(_ result: VoiceTestStatus) -> String {
    guard result.peakDBFS > silentPeak else {
      return "level     nothing at all; connect the microphone to this node's JACK port mic\n"
        + echo(result)
    }
    var lines = [("level", level(result)), ("noise", noise(result))]
    if result.clippedPercent >= leastClipping {
      lines.append(
        (
          "clipping",
          "\(Fixed.text(result.clippedPercent, digits: 2)) % of the samples; turn the card's "
            + "input gain down (alsamixer)"
        ))
    } else {
      lines.append(("clipping", "none, highest peak \(number(result.peakDBFS)) dBFS"))
    }
    lines.append(("hum", hum(result)))
    return lines.map { $0.padded + $1 + "\n" }.joined() + echo(result)
  }

  private static func level(_ result: VoiceTestStatus) -> String {
    guard let level = result.speechLevelDBFS else {
      return "no speech was heard; speak as you do at work while the test runs, 5 cm from the "
        + "microphone"
    }
    let words = "\(number(level)) dBFS: "
    let away = Fixed.text(abs(-24 - level), digits: 0)
    if level < faintLevel {
      return words + "much too low; turn the card's input gain up by some \(away) dB (alsamixer), "
        + "or go nearer"
    }
    if level < goodLevels.lowerBound {
      return words + "low; turn the card's input gain up, or use: comlink voice --gain auto"
    }
    if level > goodLevels.upperBound {
      return words + "too loud; turn the card's input gain down by some \(away) dB (alsamixer)"
    }
    return words + "good"
  }

  private static func noise(_ result: VoiceTestStatus) -> String {
    let words = "\(number(result.noiseLevelDBFS)) dBFS"
    guard let level = result.speechLevelDBFS else { return words }
    let distance = level - result.noiseLevelDBFS
    let beside = words + ", \(Fixed.text(distance, digits: 0)) dB below your voice: "
    if distance >= clear { return beside + "quiet" }
    if distance >= light {
      return beside + "some noise; use: comlink voice --high-pass 80 --suppress light"
    }
    if distance >= strong {
      return beside + "loud; use: comlink voice --high-pass 100 --suppress strong"
    }
    return beside + "too loud to be understood well; go nearer to the microphone, and use: comlink "
      + "voice --high-pass 100 --suppress strong"
  }

  private static func hum(_ result: VoiceTestStatus) -> String {
    guard let hertz = result.humHertz, let level = result.humLevelDBFS else { return "none" }
    return
      "\(Fixed.text(hertz, digits: 0)) Hz of the mains, \(number(level)) dBFS; look at cables and "
      + "earth, until then: comlink voice --high-pass 120"
  }

  private static func echo(_ result: VoiceTestStatus) -> String {
    guard let level = result.echoDecibels, let late = result.echoMilliseconds else {
      return "echo".padded + "none\n"
    }
    let words = "\(number(level)) dB after \(Fixed.text(late, digits: 0)) ms"
    return "echo".padded
      + (level < leastEcho
        ? words + ": a headset that leaks a little, which does no harm\n"
        : words
          + ": the microphone hears what you hear; use a headset, or: comlink voice --echo auto\n")
  }
}

extension String {
  /// A word in the column of its table.
  fileprivate var padded: String { self + String(repeating: " ", count: max(1, 10 - count)) }
}
