public import Audio

/// One recording: writes the tapes to files, all of which begin at position 0 and stay aligned.
///
/// One thread at a time; knows no clock. Sound reaches the files in the order of positions, a chunk of all talkers
/// after the other, so that a moment is at the same place in all of them: a talker who comes later gets silence first,
/// one who is away silence meanwhile, and all of them where JACK did not run. A file that fails ends alone; what
/// concerns the whole disk ends the take.
public final class Take {
  /// Seconds of sound between saves: what a power cut costs is twice that at most.
  private static let saveSeconds = 1.5
  /// The name of the mix's file.
  private static let mixName = "mix"

  /// Where the files are.
  public var path: String { folder.path }
  /// The length of all files.
  public var seconds: Double { Double(fileFrames) / Double(fileRate) }
  /// Time until it is full at the present rate; nil: not known yet.
  public private(set) var secondsLeft: Double?
  /// Files that are written.
  public var fileCount: Int { tracks.count }
  /// Bytes of all files.
  public var byteCount: Int { tracks.reduce(endedBytes) { $0 + $1.byteCount } }
  /// Files that ended before the take, or were never made.
  public private(set) var failures: [TrackFailure] = []

  private let settings: TakeSettings
  private let labels: TakeLabels
  private let deck: TapeDeck
  private let folder: TakeFolder
  private let fileRate: Int
  private var tracks: [TakeTrack] = []
  /// Of files that failed.
  private var endedBytes = 0
  private var serial: UInt32
  /// How far the tapes are read.
  private var position: Int64 = 0
  /// JACK's rate since the last break, the position there, and the files' frames up to it.
  private var sampleRate: Int
  private var stretchPosition: Int64 = 0
  private var stretchFileFrames = 0
  private var nextCheckFrame = 0
  private var nextSaveFrame = 0

  /// Makes the folder, and the files of mix and buses; nothing is left of them where it throws.
  ///
  /// - Throws: what stands against it, such as too little room on the disk.
  public init(
    _ settings: TakeSettings, labels: TakeLabels, deck: TapeDeck
  ) throws(RecordingError) {
    self.settings = settings
    self.labels = labels
    self.deck = deck
    serial = labels.serial
    sampleRate = deck.sampleRate
    fileRate = settings.format.fileRate(sampleRate: deck.sampleRate)
    folder = try TakeFolder(in: settings.directory, at: labels.moment)
    nextSaveFrame = Int(Self.saveSeconds * Double(fileRate))
    do throws(RecordingError) {
      if let mix = deck.mix { tracks = [try makeTrack(Self.mixName, [mix.left, mix.right])] }
      for bus in deck.buses { tracks.append(try makeTrack(bus.name, [bus.tape])) }
      try checkRoom(for: 0)
    } catch {
      folder.discard()
      throw error
    }
  }

  /// Writes the audio added to the tapes since the last call.
  ///
  /// - Throws: why no more can be written; ``finish()`` then keeps what there is.
  public func advance() throws(RecordingError) {
    let end = deck.writtenPosition
    try addNewTalkers()
    while position < end {
      if fileFrames >= nextCheckFrame { try check() }
      let next = deck.nextBreak
      if let next, position >= next.end {
        try pass(next)
      } else {
        try write(until: min(end, next?.end ?? end))
      }
      do throws(AudioError) {
        try deck.giveBack(before: position)
      } catch {
        throw .audio(error)
      }
    }
    if fileFrames >= nextSaveFrame { try save() }
  }

  /// Writes the ends of all files.
  ///
  /// - Throws: the first thing that went wrong; the other files are complete then.
  public func finish() throws(RecordingError) {
    var problem: RecordingError?
    for track in tracks {
      do throws(RecordingError) {
        try track.finish()
      } catch {
        problem = problem ?? error
      }
    }
    try folder.sync()
    if let problem { throw problem }
  }

  /// Removes files and folder, as nothing was recorded.
  public func discard() { folder.discard() }

  private var fileFrames: Int {
    stretchFileFrames
      + RateConverter.frames(Int(position - stretchPosition), at: sampleRate, as: fileRate)
  }

  private func write(until end: Int64) throws(RecordingError) {
    let count = Int(min(Int64(TakeTrack.chunkFrames), end - position))
    let start = position
    try eachTrack { track throws(RecordingError) in try track.write(from: start, count: count) }
    position += Int64(count)
  }

  /// Leaves out what lies within the break, and writes silence for the time that it took.
  private func pass(_ next: TapeBreak) throws(RecordingError) {
    while position < next.start {
      let count = Int(min(Int64(TakeTrack.chunkFrames), next.start - position))
      for track in tracks { track.skip(from: position, count: count) }
      position += Int64(count)
    }
    let ended =
      stretchFileFrames
      + RateConverter.frames(Int(next.end - stretchPosition), at: sampleRate, as: fileRate)
    let silence = Self.frames(next.nanoseconds, at: fileRate)
    try checkRoom(for: tracks.reduce(0) { $0 + $1.silenceByteCount(frames: silence) })
    try eachTrack { track throws(RecordingError) in
      try track.passBreak(silentFrames: silence, sampleRate: next.sampleRate)
    }
    (sampleRate, stretchPosition) = (next.sampleRate, next.start)
    stretchFileFrames = ended + silence
    deck.passBreak()
  }

  private func addNewTalkers() throws(RecordingError) {
    for talker in deck.takeNewTalkers() {
      do throws(RecordingError) {
        tracks.append(try makeTrack(talker.name, [talker.tape]))
      } catch {
        try tell(error, of: talker.name)
        continue
      }
      let (fileFrames, frames) = (stretchFileFrames, Int(position - stretchPosition))
      try guarded(tracks[tracks.count - 1]) { track throws(RecordingError) in
        try track.begin(after: fileFrames, frames) { bytes throws(RecordingError) in
          try checkRoom(for: bytes)
        }
      }
    }
  }

  private func makeTrack(
    _ name: String, _ tapes: [SoundTape]
  ) throws(RecordingError) -> TakeTrack {
    let file = try folder.makeFile(for: name, settings.format)
    do throws(RecordingError) {
      return try TakeTrack(
        name, tapes: tapes, writer: try makeWriter(file, name, channels: tapes.count),
        sampleRate: sampleRate, fileRate: fileRate)
    } catch {
      folder.removeNewest()
      throw error
    }
  }

  private func makeWriter(
    _ file: OutputFile, _ name: String, channels: Int
  ) throws(RecordingError) -> any TrackWriter {
    switch settings.format {
    case .wav: return try WAVTrack(file, channels: channels, sampleRate: fileRate)
    case .opus:
      serial &+= 1
      return try OpusTrack(
        file, channels: channels, inputRate: sampleRate, serial: serial,
        vendor: labels.software,
        comments: [
          "TITLE=\(name)", "ALBUM=\(labels.nodeName) \(labels.moment)", "DATE=\(labels.day)",
        ])
    }
  }

  private func eachTrack(
    _ body: (TakeTrack) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    for track in tracks { try guarded(track, body) }
  }

  /// Has a file do something; it ends if it fails.
  private func guarded(
    _ track: TakeTrack, _ body: (TakeTrack) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    do throws(RecordingError) {
      try body(track)
    } catch {
      if !error.concernsAll {
        tracks.removeAll { $0 === track }
        // What it has so far may still be readable.
        try? track.finish()
        endedBytes += track.byteCount
      }
      try tell(error, of: track.name)
    }
  }

  /// One file less; throws where that ends the take: the whole disk is concerned, or no file is left.
  private func tell(_ error: RecordingError, of name: String) throws(RecordingError) {
    guard !error.concernsAll, !tracks.isEmpty else { throw error }
    failures.append(TrackFailure(name: name, error: error))
  }

  /// The bounds, once a second of sound.
  private func check() throws(RecordingError) {
    nextCheckFrame = fileFrames + fileRate
    try folder.checkPlace()
    try checkRoom(for: 0)
  }

  /// Throws where another second, and so many bytes, do not fit into the bounds.
  private func checkRoom(for more: Int) throws(RecordingError) {
    let second = tracks.reduce(0) {
      $0 + settings.format.bytesPerSecond(channels: $1.channels, sampleRate: fileRate)
    }
    guard byteCount + more + second <= settings.maximumBytes else {
      throw .sizeLimit(bytes: settings.maximumBytes)
    }
    // What waits in memory, and what comes until the next look.
    let coming = more + 2 * second + fileCount * OutputFile.mostPendingBytes
    let free = try folder.freeBytes()
    guard free - coming >= settings.keptFreeBytes else {
      throw .spaceFloor(bytes: settings.keptFreeBytes, path: folder.path)
    }
    let room = min(settings.maximumBytes - byteCount, free - settings.keptFreeBytes)
    secondsLeft = second == 0 ? nil : Double(room) / Double(second)
  }

  private func save() throws(RecordingError) {
    nextSaveFrame = fileFrames + Int(Self.saveSeconds * Double(fileRate))
    try eachTrack { track throws(RecordingError) in try track.save() }
    try folder.sync()
  }

  private static func frames(_ nanoseconds: Int64, at rate: Int) -> Int {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Int(seconds) * rate + Int((rest * Int64(rate) + 500_000_000) / 1_000_000_000)
  }
}
