internal import Audio
internal import Cryptography
internal import Glibc
internal import Intercom
internal import Recording
internal import Remote
internal import StatusSchema

/// Voice messages of this node's user: what is recorded, what is uploaded, what plays, what goes elsewhere.
struct VoiceMessages {
  let recorder: VoiceRecorder
  let player: VoicePlayer
  let uploads: UploadShelf
  let office: MessageOffice
  /// Nil: nothing goes elsewhere.
  let mirror: UploadMirror?
  /// Why it cannot, though it should; nil: it can, or need not.
  private let mirrorProblem: String?

  init(
    node: Intercom, office: MessageOffice, mirror: UploadMirror?, mirrorProblem: String? = nil
  ) {
    (self.mirror, self.mirrorProblem) = (mirror, mirrorProblem)
    recorder = VoiceRecorder(node: node)
    player = VoicePlayer(node: node)
    uploads = UploadShelf()
    self.office = office
  }

  func control(_ names: MessageControl) -> VoiceMessageControl {
    VoiceMessageControl(voices: self, names: names)
  }

  /// Adds what goes on now to a status.
  func tell(_ status: inout MessagesStatus) async {
    status.recording = await recorder.status
    status.playing = await player.status
    status.mirror = await mirror?.status
    if let mirrorProblem {
      status.mirror = MirrorStatus()
      status.mirror?.problem = mirrorProblem
    }
  }

  /// What is written into files that this node makes.
  static var vendor: String { "comlink \(Version.current)" }
}

/// Where a recorder gets its sound; a test has its own.
protocol MemoDoor: Sendable {
  /// Lets somebody have what the microphone hears.
  func beginMemo() async throws(IntercomError) -> SoundPipe
  /// Lets nobody have that any more.
  func endMemo(_ pipe: SoundPipe) async
}

extension Intercom: MemoDoor {}

/// Records the microphone for a voice message: one at a time.
actor VoiceRecorder {
  /// How often sound is taken from the media loop.
  private static let interval = Duration.milliseconds(50)

  private struct Run {
    let pipe: SoundPipe
    let writer: ClipWriter
    var isPaused = false
    var problem: ClipError?
  }

  private let node: any MemoDoor
  private var run: Run?
  private var isStarting = false
  private let executor = QueueExecutor(label: "voice-message")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(node: any MemoDoor) { self.node = node }

  var isRecording: Bool { run != nil }

  /// How it goes; nil: nothing is recorded.
  var status: VoiceRecordingStatus? {
    guard let run else { return nil }
    let level = run.isPaused ? 0 : run.writer.level
    var status = VoiceRecordingStatus(
      seconds: run.writer.seconds, isPaused: run.isPaused,
      levelDBFS: Decibels.of(level), peaks: Digest.hexadecimal(run.writer.peaks))
    let left = Double(ClipLimits.seconds) - run.writer.seconds
    if let problem = run.problem {
      status.warning =
        problem == .tooLong
        ? "it ended after \(ClipLimits.seconds / 60) minutes; send or cancel it"
        : "\(problem); send or cancel it"
    } else if run.pipe.hasEnded {
      status.warning = "JACK's sample rate changed, so the recording ended; send or cancel it"
    } else if run.writer.seconds >= Double(ClipLimits.warningSeconds) {
      status.warning = "it ends by itself in \(Int(max(0, left))) s"
    }
    return status
  }

  func begin() async throws {
    guard run == nil, !isStarting else {
      throw IntercomError.refused(
        "a voice message is being recorded already; send it with comlink voice-message send, "
          + "or comlink voice-message cancel")
    }
    isStarting = true
    defer { isStarting = false }
    let pipe = try await node.beginMemo()
    do {
      run = Run(
        pipe: pipe,
        writer: try ClipWriter(sampleRate: pipe.sampleRate, vendor: VoiceMessages.vendor))
    } catch {
      await node.endMemo(pipe)
      throw error
    }
    Task { await drain(pipe) }
  }

  private func drain(_ pipe: SoundPipe) async {
    while run?.pipe === pipe {
      take()
      try? await Task.sleep(for: Self.interval)
    }
  }

  /// Takes what the microphone heard meanwhile.
  private func take() {
    guard let run else { return }
    while run.pipe.availableFrames > 0 {
      var pcm = [Float](repeating: 0, count: min(4800, run.pipe.availableFrames))
      var span = pcm.mutableSpan
      run.pipe.take(into: &span)
      guard !run.isPaused, self.run?.problem == nil else { continue }
      do throws(ClipError) {
        try run.writer.write(pcm, sampleRate: run.pipe.sampleRate)
      } catch {
        self.run?.problem = error
      }
    }
  }

  func setPaused(_ isPaused: Bool) throws(IntercomError) {
    guard run != nil else { throw Self.nothing }
    // What was said up to now is on it, what was said meanwhile is not.
    take()
    run?.isPaused = isPaused
  }

  func cancel() async throws(IntercomError) {
    guard let run else { throw Self.nothing }
    self.run = nil
    await node.endMemo(run.pipe)
  }

  /// What was recorded; it stays until ``cancel()``, as it may not be sent.
  func finish() throws -> Clip {
    guard run != nil else { throw Self.nothing }
    take()
    guard let run else { throw Self.nothing }
    return try run.writer.finish()
  }

  private static var nothing: IntercomError {
    .refused("no voice message is being recorded; begin with comlink voice-message record")
  }
}

/// Plays voice messages at this node's ear: one at a time.
actor VoicePlayer {
  /// How often sound is made, and how far ahead.
  private static let interval = Duration.milliseconds(100)
  private static let aheadSeconds = 1.0

  private struct Run {
    let number: Int64
    let player: ClipPlayer
    var feed: EarFeed
    /// Where in the message the feed begins.
    var startSeconds: Double
  }

  private let node: Intercom
  private var run: Run?
  private var speed = 1.0
  private let executor = QueueExecutor(label: "voice-player")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(node: Intercom) { self.node = node }

  /// What plays; nil: nothing does.
  var status: VoicePlayingStatus? {
    guard let run, !run.feed.isOver else { return nil }
    return VoicePlayingStatus(
      number: run.number, seconds: heard(run), totalSeconds: run.player.seconds,
      speed: run.player.speed, isPaused: run.feed.isPaused)
  }

  /// Where in the message the ear is, about.
  private func heard(_ run: Run) -> Double {
    let played = Double(run.feed.playedFrames) / Double(run.feed.pipe.sampleRate)
    return min(run.player.seconds, run.startSeconds + played * run.player.speed)
  }

  /// Plays a file, in place of what plays.
  func play(_ file: [UInt8], number: Int64, at place: Double?, speed: Double?) async throws {
    let feed = try await node.makeEarFeed()
    let player = try ClipPlayer(file, sampleRate: feed.pipe.sampleRate)
    try player.setSpeed(speed ?? self.speed)
    self.speed = player.speed
    try player.seek(to: place ?? 0)
    try await begin(
      Run(number: number, player: player, feed: feed, startSeconds: player.elapsedSeconds))
  }

  private func begin(_ next: Run) async throws {
    run = next
    fill(next)
    do {
      try await node.play(next.feed)
    } catch {
      if run?.feed === next.feed { run = nil }
      throw error
    }
    Task { await keepFilling(next) }
  }

  private func keepFilling(_ run: Run) async {
    while self.run?.feed === run.feed {
      guard !run.feed.isOver else {
        self.run = nil
        return
      }
      fill(run)
      try? await Task.sleep(for: Self.interval)
    }
  }

  private func fill(_ run: Run) {
    let pipe = run.feed.pipe
    let ahead = Int(Self.aheadSeconds * Double(pipe.sampleRate))
    while !pipe.hasEnded, pipe.availableFrames < ahead {
      guard let pcm = run.player.read() else { return pipe.end() }
      pipe.write(pcm.span)
    }
  }

  func setPaused(_ isPaused: Bool) throws(IntercomError) {
    try current().feed.setPaused(isPaused)
  }

  func seek(to place: Double) async throws {
    let run = try current()
    try run.player.seek(to: place)
    try await goOn(run)
  }

  func setSpeed(_ speed: Double) async throws {
    let run = try current()
    let place = heard(run)
    try run.player.setSpeed(speed)
    try run.player.seek(to: place)
    self.speed = run.player.speed
    try await goOn(run)
  }

  /// With another feed: what is in the present one is of before.
  private func goOn(_ run: Run) async throws {
    let start = run.player.elapsedSeconds
    self.run = nil
    let feed = try await node.makeEarFeed()
    guard feed.pipe.sampleRate == run.feed.pipe.sampleRate else {
      throw IntercomError.refused("JACK's sample rate has just changed; play the message again")
    }
    feed.setPaused(run.feed.isPaused)
    var next = run
    (next.feed, next.startSeconds) = (feed, start)
    try await begin(next)
  }

  func stop() async throws(IntercomError) {
    let run = try current()
    self.run = nil
    await node.stop(run.feed)
  }

  private func current() throws(IntercomError) -> Run {
    guard let run, !run.feed.isOver else {
      throw .refused("no voice message plays; play one with comlink voice-message play NUMBER")
    }
    return run
  }
}

/// Files that are being uploaded, in memory.
actor UploadShelf {
  private static let most = 4
  /// After so long without a part whoever uploads it is gone.
  private static let patience = Duration.seconds(30)
  /// For room; less than who sends waits for an answer.
  private static let wait = Duration.seconds(40)
  private static let step = Duration.milliseconds(50)

  private struct Upload {
    var octets: [UInt8] = []
    var touched = ContinuousClock.now
  }

  private var uploads: [String: Upload] = [:]

  /// Takes a part; the first of a file waits while too many others are being uploaded.
  func add(_ octets: [UInt8], at offset: Int, to name: String) async throws(IntercomError) {
    if offset == 0 { try await makeRoom(for: name) }
    guard var upload = uploads[name], upload.octets.count == offset else { throw Self.lost }
    guard offset + octets.count <= ClipLimits.fileBytes else {
      uploads[name] = nil
      throw .refused("\(ClipError.tooLarge(byteCount: offset + octets.count))")
    }
    upload.octets += octets
    upload.touched = .now
    uploads[name] = upload
  }

  private func makeRoom(for name: String) async throws(IntercomError) {
    uploads[name] = nil
    let end = ContinuousClock.now + Self.wait
    while true {
      let oldest = ContinuousClock.now - Self.patience
      uploads = uploads.filter { $0.value.touched > oldest }
      if uploads.count < Self.most { break }
      guard ContinuousClock.now < end else {
        throw .refused("other files are being sent; send this one again in a minute")
      }
      try? await Task.sleep(for: Self.step)
    }
    uploads[name] = Upload()
  }

  /// Takes a file off the shelf.
  func take(_ name: String) throws(IntercomError) -> [UInt8] {
    guard let upload = uploads.removeValue(forKey: name) else { throw Self.lost }
    return upload.octets
  }

  private static var lost: IntercomError {
    .refused("a part of the file is missing; send it again")
  }
}

enum Decibels {
  /// Of a level from 0 to 1; no less than -120.
  static func of(_ level: Double) -> Double { max(-120, 20 * log10(max(level, 1e-6))) }
}
