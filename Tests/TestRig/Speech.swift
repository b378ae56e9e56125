import Foundation

/// Human speech recordings from Debian packages, as mono 48 kHz with pauses.
public enum Speech {
  /// Frames per second of everything here.
  public static let sampleRate = 48_000
  /// Where the package pocketsphinx-testdata keeps sentences from a public-domain audio book.
  static let sentenceFolder = "/usr/share/pocketsphinx/test/data/librivox"
  /// Where the package alsa-utils keeps spoken names of loudspeakers.
  static let announcementFolder = "/usr/share/sounds/alsa"

  /// A reader's sentences, 27 s: what talker A says; announcements when they are not installed.
  ///
  /// - Throws: `RigError`.
  public static func sentences() throws(RigError) -> [Float] {
    let files = waves(in: sentenceFolder)
    guard !files.isEmpty else {
      return try joined(announcementFiles(["Rear_Right", "Side_Left", "Rear_Left", "Side_Right"]))
    }
    return try joined(files)
  }

  /// An announcer's words, full band, at least 15 s: what talker C says.
  ///
  /// - Throws: `RigError`.
  public static func announcements() throws(RigError) -> [Float] {
    try joined(
      announcementFiles(["Front_Left", "Front_Center", "Front_Right", "Rear_Center", "Side_Left"]))
  }

  /// A second of a tone.
  public static func tone(hertz: Double, level: Float) -> [Float] {
    (0..<sampleRate).map { level * Float(sin(2 * .pi * hertz * Double($0) / Double(sampleRate))) }
  }

  /// At least `seconds` of it, repeated as often as needed.
  public static func lasting(_ seconds: Double, _ speech: [Float]) -> [Float] {
    let frames = Int(seconds * Double(sampleRate))
    guard !speech.isEmpty else { return [] }
    var result = speech
    while result.count < frames { result += speech }
    return Array(result[..<frames])
  }

  private static func announcementFiles(_ names: [String]) throws(RigError) -> [String] {
    let files = names.map { "\(announcementFolder)/\($0).wav" }
    for file in files where !FileManager.default.fileExists(atPath: file) {
      throw .missing(what: file, hint: "apt-get install alsa-utils")
    }
    return files + files.reversed()
  }

  private static func waves(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".wav") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Files one after the other at one loudness (-23 dBFS RMS), 0.25 s of silence around each.
  static func joined(_ files: [String]) throws(RigError) -> [Float] {
    let silence = [Float](repeating: 0, count: sampleRate / 4)
    var result: [Float] = []
    for file in files {
      let sound = try WAV.read(file)
      let samples = Sound.resampled(sound.mono, from: sound.sampleRate, to: sampleRate)
      let loudness = Sound.rootMeanSquare(samples)
      let gain = loudness > 0 ? 0.07 / loudness : 1
      result += silence
      result += samples.map { max(-0.9, min(0.9, $0 * gain)) }
    }
    return result + silence
  }
}
