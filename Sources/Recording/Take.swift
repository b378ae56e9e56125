public import Audio

/// One recording: takes what is on the tapes and writes it to files, all of which begin at position 0 and go on together.
///
/// One thread at a time; knows no clock. Sound reaches the files in the order of positions, a chunk of all talkers after the
/// other, so that a moment is at the same place in all of them: a talker who comes later gets silence first, one who is
/// away silence meanwhile.
public final class Take {
  /// Frames that are written at once.
  private static let chunkFrames = 1024
  /// How many saves a minute of sound has: what a power cut costs is twice that at most.
  private static let savesPerMinute = 40
  /// The name of the mix's file.
  private static let mixName = "mix"

  private struct Track {
    let tape: SoundTape
    let writer: any TrackWriter
  }

  /// Where the files are.
  public var path: String { folder.path }
  /// Frames since the beginning, at JACK's rate.
  public private(set) var frameCount: Int64 = 0
  /// Files so far.
  public var fileCount: Int { tracks.count + (mixWriter == nil ? 0 : 1) }
  /// Bytes of all files.
  public var byteCount: Int {
    tracks.reduce(mixWriter?.byteCount ?? 0) { $0 + $1.writer.byteCount }
  }

  private let settings: TakeSettings
  private let labels: TakeLabels
  private let deck: TapeDeck
  private let folder: TakeFolder
  private var tracks: [Track] = []
  private var mixWriter: (any TrackWriter)?
  private var limiter: MixLimiter
  private var chunk = [Float](repeating: 0, count: Take.chunkFrames)
  private var stereo = [Float](repeating: 0, count: 2 * Take.chunkFrames)
  private var nextCheckFrame: Int64 = 0
  private var nextSaveFrame: Int64
  private var serial: UInt32

  /// Makes the folder, and the mix's file.
  ///
  /// - Throws: what stands against it, such as too little room on the disk.
  public init(
    _ settings: TakeSettings, labels: TakeLabels, deck: TapeDeck
  ) throws(RecordingError) {
    self.settings = settings
    self.labels = labels
    self.deck = deck
    serial = labels.serial
    limiter = MixLimiter(sampleRate: deck.sampleRate)
    nextSaveFrame = Int64(60 * deck.sampleRate / Self.savesPerMinute)
    folder = try TakeFolder(in: settings.directory, at: labels.moment)
    try checkRoom(for: 0)
    if deck.mix != nil { mixWriter = try makeWriter(Self.mixName, channels: 2) }
  }

  /// Writes what has come to the tapes since the last call.
  ///
  /// - Throws: why no more can be written; ``finish()`` then keeps what there is.
  public func advance() throws(RecordingError) {
    let end = deck.writtenPosition
    try addNewTalkers()
    while frameCount < end {
      if frameCount >= nextCheckFrame { try check() }
      let count = Int(min(Int64(Self.chunkFrames), end - frameCount))
      for track in tracks { try write(track, count: count) }
      if let mix = deck.mix, let mixWriter { try write(mix, to: mixWriter, count: count) }
      frameCount += Int64(count)
      do throws(AudioError) {
        try deck.giveBack(before: frameCount)
      } catch {
        throw .audio(error)
      }
    }
    if frameCount >= nextSaveFrame { try save() }
    if let rate = deck.changedRate { throw .rateChanged(from: deck.sampleRate, to: rate) }
  }

  /// Writes the ends of all files.
  ///
  /// - Throws: the first thing that went wrong; the other files are complete then.
  public func finish() throws(RecordingError) {
    var problem: RecordingError?
    for writer in tracks.map(\.writer) + [mixWriter].compactMap({ $0 }) {
      do throws(RecordingError) {
        try writer.finish()
      } catch {
        problem = problem ?? error
      }
    }
    try folder.sync()
    if let problem { throw problem }
  }

  private func addNewTalkers() throws(RecordingError) {
    for talker in deck.takeNewTalkers() {
      let writer = try makeWriter(talker.name, channels: 1)
      tracks.append(Track(tape: talker.tape, writer: writer))
      let silence = Int(frameCount)
      try checkRoom(for: writer.silenceByteCount(frames: silence))
      try writer.writeSilence(frames: silence)
    }
  }

  private func makeWriter(
    _ name: String, channels: Int
  ) throws(RecordingError) -> any TrackWriter {
    let file = try folder.makeFile(for: name, settings.format)
    switch settings.format {
    case .wav: return try WAVTrack(file, channels: channels, sampleRate: deck.sampleRate)
    case .opus:
      serial &+= 1
      return try OpusTrack(
        file, channels: channels, sampleRate: deck.sampleRate, serial: serial,
        vendor: labels.software,
        comments: [
          "TITLE=\(name)", "ALBUM=\(labels.nodeName) \(labels.moment)", "DATE=\(labels.day)",
        ])
    }
  }

  private func write(_ track: Track, count: Int) throws(RecordingError) {
    var room = chunk.mutableSpan
    var frames = room._mutatingExtracting(..<count)
    track.tape.take(at: frameCount, into: &frames)
    let pcm = chunk
    try track.writer.write(pcm.span.extracting(..<count))
  }

  private func write(
    _ mix: (left: SoundTape, right: SoundTape), to writer: any TrackWriter, count: Int
  ) throws(RecordingError) {
    for (side, tape) in [mix.left, mix.right].enumerated() {
      var room = chunk.mutableSpan
      var frames = room._mutatingExtracting(..<count)
      tape.take(at: frameCount, into: &frames)
      for index in 0..<count { stereo[2 * index + side] = chunk[index] }
    }
    var room = stereo.mutableSpan
    var frames = room._mutatingExtracting(..<(2 * count))
    limiter.apply(to: &frames)
    let pcm = stereo
    try writer.write(pcm.span.extracting(..<(2 * count)))
  }

  /// The bounds, once a second of sound.
  private func check() throws(RecordingError) {
    nextCheckFrame = frameCount + Int64(deck.sampleRate)
    try folder.checkPlace()
    try checkRoom(for: 0)
  }

  /// Throws where another second, and so many bytes, do not fit into the bounds.
  private func checkRoom(for more: Int) throws(RecordingError) {
    let rate = deck.sampleRate
    let second =
      tracks.count * settings.format.bytesPerSecond(channels: 1, sampleRate: rate)
      + (deck.mix == nil ? 0 : settings.format.bytesPerSecond(channels: 2, sampleRate: rate))
    guard byteCount + more + second <= settings.maximumBytes else {
      throw .sizeLimit(bytes: settings.maximumBytes)
    }
    // What waits in memory, and what comes until the next look.
    let coming = more + 2 * second + fileCount * OutputFile.mostPendingBytes
    guard try folder.freeBytes() - coming >= settings.keptFreeBytes else {
      throw .spaceFloor(bytes: settings.keptFreeBytes, path: folder.path)
    }
  }

  private func save() throws(RecordingError) {
    nextSaveFrame = frameCount + Int64(60 * deck.sampleRate / Self.savesPerMinute)
    for track in tracks { try track.writer.save() }
    try mixWriter?.save()
    try folder.sync()
  }
}
