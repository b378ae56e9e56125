public import Cryptography

/// Where a captioner puts what is said.
public protocol CaptionSink {
  /// Somebody began to say something, and this is the first that is known of it.
  ///
  /// - Parameters:
  ///   - places: where it is heard, and nowhere else read.
  ///   - began: when, by the clock of all calls.
  /// - Returns: by which number it goes on; nil: it is not to be captioned, or there is no room.
  mutating func open(
    _ talker: CaptionTalker, in places: Set<CaptionPlace>, beganNanoseconds began: Int64,
    _ words: CaptionWords
  ) -> UInt32?
  /// What is said is another text now; what was final stays.
  mutating func update(_ index: UInt32, _ words: CaptionWords)
  /// Nothing more comes of it: what is known stays.
  mutating func settle(_ index: UInt32)
  /// Nothing more comes of what somebody is saying, or anybody.
  mutating func settleAll(of talker: NodeID?)
}

extension CaptionChunk {
  /// What is first known of something that is said; texts are cut to what a chunk takes.
  init(
    index: UInt32, _ talker: CaptionTalker, startMilliseconds: UInt32, _ words: CaptionWords
  ) {
    self.init(
      index: index, revision: 1, talker: talker, startMilliseconds: startMilliseconds,
      durationMilliseconds: 0, text: "", isFinal: false, language: "", confidencePercent: nil)
    put(words)
  }

  /// It is another text now.
  mutating func take(_ words: CaptionWords) {
    revision += 1
    put(words)
  }

  private mutating func put(_ words: CaptionWords) {
    durationMilliseconds = words.durationMilliseconds
    text = words.text.cut(toBytes: CaptionLimits.textBytes)
    isFinal = words.isFinal
    language = words.language.cut(toBytes: CaptionLimits.languageBytes)
    confidencePercent = words.confidencePercent.map { min($0, 100) }
  }
}
