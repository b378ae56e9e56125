internal import Audio
internal import Cryptography
internal import Glibc
internal import Intercom
internal import Logging
internal import Mesh
internal import Recording
internal import Remote
internal import StatusSchema

/// The recordings of this node, one at a time: begins and ends them, and tells members and log.
///
/// Nothing here waits for a disk for longer than ``patience``: one that does not answer is set aside with its
/// recording, whose files end when it does.
actor Recordings {
  /// What a slow disk is waited for before the answer is that it is slow.
  static let patience = Duration.seconds(10)
  private static let glance = Duration.milliseconds(20)
  /// Each has a thread, and its tapes' memory.
  private static let mostSetAside = 4

  private struct Running {
    let recorder: Recorder
    let deck: TapeDeck
  }

  private let node: Intercom
  private let nodeName: NodeName
  private let membership: Membership
  private let log: Logger
  /// The recording that begins or is under way, with all the memory of its tapes.
  private var current: Running?
  /// How the last one ended.
  private var last: RecordingReport?
  /// Those whose disks do not answer.
  private var setAside: [Running] = []
  private var isStarting = false

  init(node: Intercom, nodeName: NodeName, membership: Membership, log: Logger) {
    self.node = node
    self.nodeName = nodeName
    self.membership = membership
    self.log = log
  }

  /// Begins to record.
  ///
  /// - Returns: the folder of the files.
  func start(
    _ request: RecordingRequest, within patience: Duration = patience
  ) async throws -> String {
    let settings = try TakeSettings(request)
    guard !isStarting, current == nil else {
      throw IntercomError.refused(
        "this node is already recording, to \(current?.recorder.report.path ?? settings.directory)")
    }
    guard setAside.count < Self.mostSetAside else {
      throw IntercomError.refused(
        "\(setAside.count) recordings still wait for disks that do not respond; check the disks")
    }
    isStarting = true
    defer { isStarting = false }
    let running = try await begin(settings)
    current = running
    let isMade = try? await wait(within: patience) {
      running.recorder.report.phase != .beginning
    }
    // Cancelled, where the user went away.
    guard isMade == true else { throw await abandon(running) }
    let report = running.recorder.report
    if case .failed(let error) = report.phase {
      if current?.deck === running.deck { current = nil }
      throw IntercomError.refused("\(error)")
    }
    await node.record(on: running.deck)
    await membership.handle(.recording(true))
    if current?.deck !== running.deck { try await endAtOnce(running) }
    log.event(
      .recording, "recording",
      ["folder": "\(report.path)", "format": "\(settings.format.rawValue)"])
    return report.path
  }

  /// Ends the recording and waits for its files to be complete.
  func stop(within patience: Duration = patience) async throws {
    guard let running = current, !isStarting else {
      throw IntercomError.refused("this node is not recording")
    }
    await node.endRecording(on: running.deck)
    running.recorder.end()
    guard try await wait(within: patience, { running.recorder.isOver }) else {
      throw await abandon(running)
    }
    if case .failed(let error) = running.recorder.report.phase {
      throw IntercomError.refused("\(error)")
    }
  }

  /// How the recording goes, or went; nil before the first.
  var status: RecordingStatus? {
    let report = current?.recorder.report
    return (report?.phase == .beginning ? last : report ?? last).map { RecordingStatus($0) }
  }

  /// It ended by itself while the node and the members were told of it.
  private func endAtOnce(_ running: Running) async throws {
    await node.endRecording(on: running.deck)
    await membership.handle(.recording(false))
    guard case .failed(let error) = running.recorder.report.phase else { return }
    throw IntercomError.refused("\(error)")
  }

  private func begin(_ settings: TakeSettings) async throws -> Running {
    let deck = try await node.makeDeck(
      keepsTalkers: settings.keepsTalkers, keepsMix: settings.keepsMix, buses: settings.buses)
    let (events, sender) = AsyncStream.makeStream(of: RecorderEvent.self)
    let recorder = try Recorder(settings, labels: labels(), deck: deck) { event in
      sender.yield(event)
      if case .ended = event { sender.finish() }
    }
    Task { for await event in events { await take(event, of: deck) } }
    return Running(recorder: recorder, deck: deck)
  }

  /// Waits until something is so; false: it took longer than that.
  private func wait(within patience: Duration, _ isSo: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + patience
    while !isSo() {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: Self.glance)
    }
    return true
  }

  /// Waits for a recording's disk no more; what to answer.
  private func abandon(_ running: Running) async -> IntercomError {
    running.recorder.end()
    let directory = running.recorder.settings.directory
    let problem = RecordingError.noAnswer(path: directory)
    if current?.deck === running.deck, !running.recorder.isOver {
      current = nil
      setAside.append(running)
      var report = running.recorder.report
      if report.hasBegun {
        report.phase = .failed(problem)
        last = report
        await membership.handle(.recording(false))
      }
    }
    return .refused("\(problem)")
  }

  private func take(_ event: RecorderEvent, of deck: TapeDeck) async {
    switch event {
    case .failed(let failure):
      log.event(
        .recordingFileFailed,
        "a file of the recording failed, the others continue: \(failure.error)",
        ["talker": "\(failure.name)"])
    case .ended(let report): await ended(report, deck)
    }
  }

  private func ended(_ report: RecordingReport, _ deck: TapeDeck) async {
    await node.endRecording(on: deck)
    setAside.removeAll { $0.deck === deck }
    let isCurrent = current?.deck === deck
    if isCurrent { current = nil }
    guard report.hasBegun else { return }
    if isCurrent || last?.path == report.path { last = report }
    if isCurrent { await membership.handle(.recording(false)) }
    var metadata: Logger.Metadata = [
      "folder": "\(report.path)", "seconds": "\(Int(report.seconds))",
      "bytes": "\(report.byteCount)",
    ]
    if report.lostFrames > 0 { metadata["dropped"] = "\(report.lostFrames)" }
    if !report.failures.isEmpty { metadata["failed"] = "\(report.failures.count)" }
    switch report.phase {
    case .failed(let error):
      log.event(.recordingFailed, "the recording ended: \(error)", metadata)
    default: log.event(.recordingEnded, "the recording ended", metadata)
    }
  }

  private func labels() -> TakeLabels {
    TakeLabels(
      nodeName: nodeName.current, software: "comlink \(Version.current)", moment: Self.moment(),
      serial: UInt32.random(in: 0...UInt32.max))
  }

  /// Now, where this machine is, as the name of a folder.
  private static func moment() -> String {
    var seconds = time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    return "\(year)-\(two(month))-\(two(day))_\(two(hour)).\(two(minute)).\(two(second))"
  }

  private static func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension TakeSettings {
  /// What a remote asks for, the defaults where it says nothing.
  fileprivate init(_ request: RecordingRequest) throws(IntercomError) {
    self.init(directory: request.directory)
    guard request.directory.hasPrefix("/") else {
      throw .refused("the folder must be an absolute path")
    }
    buses = request.buses ?? []
    guard request.peers || request.mix || !buses.isEmpty else {
      throw .refused("nothing to record: choose peers, mix or buses")
    }
    (keepsTalkers, keepsMix) = (request.peers, request.mix)
    if let word = request.format {
      guard let known = RecordingFormat(rawValue: word) else {
        let formats = RecordingFormat.allCases.map(\.rawValue).joined(separator: " or ")
        throw .refused("unknown format \(word.prefix(40)); use \(formats)")
      }
      format = known
    }
    if let bytes = request.maxSizeBytes { maximumBytes = max(0, bytes) }
    if let bytes = request.keepFreeBytes { keptFreeBytes = max(0, bytes) }
  }
}

extension RecordingStatus {
  /// How a recording goes, or went.
  fileprivate init(_ report: RecordingReport) {
    self.init(
      path: report.path, format: report.settings.format.rawValue,
      mostBytes: report.settings.maximumBytes)
    seconds = report.seconds
    bytes = report.byteCount
    files = report.fileCount
    failedFiles = report.failures.count
    fileProblem = report.failures.last.map { "\($0.name): \($0.error)" }
    droppedFrames = report.lostFrames
    stalledSeconds = report.stalledSeconds
    switch report.phase {
    case .beginning, .running: secondsLeft = report.secondsLeft
    case .ended:
      (isRunning, endReason, hasFailed) = (false, "on request", false)
    case .failed(let error):
      (isRunning, endReason, hasFailed) = (false, "\(error)", true)
    }
  }
}
