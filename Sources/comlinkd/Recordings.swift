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
actor Recordings {
  /// What a slow disk is waited for before the answer is that it is slow.
  static let patience = Duration.seconds(10)
  private static let glance = Duration.milliseconds(20)

  private let node: Intercom
  private let nodeName: String
  /// Nil: in clear, where nobody is told.
  private let membership: Membership?
  private let log: Logger
  /// The recording under way, with all the memory of its tapes.
  private var current: (recorder: Recorder, deck: TapeDeck)?
  /// How the last one ended.
  private var last: RecordingReport?
  private var isStarting = false

  init(node: Intercom, nodeName: String, membership: Membership?, log: Logger) {
    self.node = node
    self.nodeName = nodeName
    self.membership = membership
    self.log = log
  }

  /// Begins to record.
  ///
  /// - Returns: the folder of the files.
  func start(_ request: RecordingRequest) async throws -> String {
    let settings = try TakeSettings(request)
    guard !isStarting, current?.recorder.isOver ?? true else {
      throw IntercomError.refused(
        "this node records already, to \(current?.recorder.report.path ?? "another folder")")
    }
    isStarting = true
    defer { isStarting = false }
    let deck = try await node.makeDeck(
      keepsTalkers: settings.keepsTalkers, keepsMix: settings.keepsMix)
    let recorder = try Recorder(settings, labels: labels(), deck: deck) { [weak self] report in
      Task { await self?.ended(report, deck) }
    }
    current = (recorder, deck)
    await node.record(on: deck)
    await membership?.handle(.recording(true))
    let path = recorder.report.path
    log.notice(
      "recording", metadata: ["folder": "\(path)", "format": "\(settings.format.rawValue)"])
    return path
  }

  /// Ends the recording and waits for its files to be complete.
  func stop(within patience: Duration = patience) async throws {
    guard let (recorder, deck) = current, !recorder.isOver else {
      throw IntercomError.refused("this node does not record")
    }
    await node.endRecording(on: deck)
    recorder.end()
    let end = ContinuousClock.now + patience
    while !recorder.isOver {
      guard ContinuousClock.now < end else {
        throw IntercomError.refused("the disk does not answer; the recording ends when it does")
      }
      try await Task.sleep(for: Self.glance)
    }
    if case .failed(let error) = recorder.report.phase { throw IntercomError.refused("\(error)") }
  }

  /// How the recording goes, or went; nil before the first.
  var status: RecordingStatus? {
    (current?.recorder.report ?? last).map { RecordingStatus($0) }
  }

  private func ended(_ report: RecordingReport, _ deck: TapeDeck) async {
    await node.endRecording(on: deck)
    if current?.deck === deck {
      (current, last) = (nil, report)
      await membership?.handle(.recording(false))
    }
    var metadata: Logger.Metadata = [
      "folder": "\(report.path)", "seconds": "\(Int(report.seconds))",
      "bytes": "\(report.byteCount)",
    ]
    if report.lostFrames > 0 { metadata["dropped"] = "\(report.lostFrames)" }
    switch report.phase {
    case .failed(let error): log.error("the recording ended: \(error)", metadata: metadata)
    case .running, .ended: log.notice("the recording ended", metadata: metadata)
    }
  }

  private func labels() -> TakeLabels {
    TakeLabels(
      nodeName: nodeName, software: "comlink \(Version.current)", moment: Self.moment(),
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
      throw .refused("the folder has to be given from / on")
    }
    guard request.peers || request.mix else { throw .refused("there is nothing to record") }
    (keepsTalkers, keepsMix) = (request.peers, request.mix)
    if let word = request.format {
      guard let known = RecordingFormat(rawValue: word) else {
        let formats = RecordingFormat.allCases.map(\.rawValue).joined(separator: " or ")
        throw .refused("unknown format \(word.prefix(40)); it is \(formats)")
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
    droppedFrames = report.lostFrames
    stalledSeconds = report.stalledSeconds
    switch report.phase {
    case .running: break
    case .ended:
      (isRunning, endReason, hasFailed) = (false, "as asked", false)
    case .failed(let error):
      (isRunning, endReason, hasFailed) = (false, "\(error)", true)
    }
  }
}
