import Foundation

extension Speech {
  /// Where the packages asterisk-core-sounds-it-g722 and -ru-g722 keep announcements, 16 kHz wide.
  private static let promptFolder = "/usr/share/asterisk/sounds"
  /// A man and a woman, each with half a minute of whole sentences.
  private static let prompts = [
    "it_IT_m_Carlo/demo-congrats.g722", "ru_RU_f_IvrvoiceRU/demo-congrats.g722",
  ]

  /// Two men and two women, eight pieces of equal length that take turns, most of them sentences.
  ///
  /// - Throws: `RigError`.
  public static func talkers(
    pieceSeconds: Int = 8, in directory: TemporaryDirectory
  ) throws(RigError) -> [[Float]] {
    let frames = pieceSeconds * sampleRate
    let italian = try prompt(prompts[0], in: directory)
    let russian = try prompt(prompts[1], in: directory)
    let materials = [
      pieces(try sentences(), frames), pieces(italian, frames), pieces(russian, frames),
      pieces(try announcements(), frames),
    ]
    let counts = [3, 2, 2, 1]
    var result: [[Float]] = []
    for turn in 0..<3 {
      for (material, count) in zip(materials, counts) where turn < count {
        guard turn < material.count else {
          throw .sound(path: promptFolder, reason: "a talker says less than expected")
        }
        result.append(material[turn])
      }
    }
    return result
  }

  private static func pieces(_ samples: [Float], _ frames: Int) -> [[Float]] {
    (0..<samples.count / frames).map { Array(samples[$0 * frames..<($0 + 1) * frames]) }
  }

  private static func prompt(
    _ name: String, in directory: TemporaryDirectory
  ) throws(RigError) -> [Float] {
    let source = "\(promptFolder)/\(name)"
    guard FileManager.default.fileExists(atPath: source) else {
      throw .missing(
        what: source,
        hint: "apt-get install asterisk-core-sounds-it-g722 asterisk-core-sounds-ru-g722")
    }
    let target = directory.file("\(name.split(separator: "/")[0]).wav")
    let converter = try ChildProcess(
      "ffmpeg",
      ["-v", "error", "-y", "-f", "g722", "-i", source, "-ar", "\(sampleRate)", target],
      outputPath: directory.file("ffmpeg.log"))
    guard try converter.wait(within: 60) == 0 else {
      throw .sound(path: source, reason: converter.outputTail())
    }
    return try joined([target])
  }
}
