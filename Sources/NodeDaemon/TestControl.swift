internal import Cryptography
internal import Intercom
internal import Logging
internal import Remote
internal import StatusSchema

/// Carries out tests of the station, and keeps the loop-back that its user consents to.
///
/// **Consent.** A node sends a peer's voice back only after its own user said so, for that peer and for a time. It
/// tells the members, so that the peer's test is refused in words where there is none. Nobody's voice goes round: a
/// peer that itself sends somebody's voice back is not sent back, and whoever notices later that it is, ends.
actor TestControl {
  private static let lookInterval = Duration.milliseconds(500)

  private let node: Intercom
  private let id: NodeID
  private let membership: Membership
  private let log: Logger
  private var watch: Task<Void, Never>?

  init(node: Intercom, id: NodeID, membership: Membership, log: Logger) {
    self.node = node
    self.id = id
    self.membership = membership
    self.log = log
  }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    do throws(IntercomError) {
      switch request {
      case .testTone(let levelDBFS, let hertz, let seconds):
        try await node.playTone(levelDBFS: levelDBFS, hertz: hertz, seconds: seconds)
      case .testLoop(let peer): return .loopTest(try await loop(with: peer))
      case .testSpeech(let peer): return .speechTest(try await speech(with: peer))
      case .loopBack(let peer, let minutes): try await begin(peer, seconds: minutes * 60)
      case .loopBackOff: await end()
      default: return .error(message: "not a test request")
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  /// Tests of the own microphone.
  nonisolated func handle(_ request: SoundRequest) async -> ControlResponse {
    do throws(IntercomError) {
      switch request {
      case .test(let seconds):
        return .voiceTest(try await node.measureMicrophone(speechSeconds: seconds).status)
      case .monitor(let seconds):
        return try await node.monitorVoice(seconds: seconds).map { .done(note: $0) } ?? .ok
      }
    } catch {
      return .error(message: "\(error)")
    }
  }

  private nonisolated func loop(with text: String) async throws(IntercomError) -> LoopTestStatus {
    let peer = try await consenting(text)
    let measured = try await node.measureLoop(with: peer)
    var status = LoopTestStatus(peer: peer, sent: measured.sent, found: measured.found)
    if let trip = measured.roundTrip {
      status.roundTripMilliseconds = trip.median
      (status.leastMilliseconds, status.mostMilliseconds) = (trip.least, trip.most)
    }
    status.levelDecibels = measured.levelDecibels
    status.networkMilliseconds = measured.networkMilliseconds
    status.playoutDelayMilliseconds = measured.playoutMilliseconds
    return status
  }

  private nonisolated func speech(
    with text: String?
  ) async throws(IntercomError) -> SpeechTestStatus {
    var peer: String?
    if let text { peer = try await consenting(text) }
    let measured =
      if let peer { try await node.judgeLoop(with: peer) } else { try await node.judgeCodec() }
    return SpeechTestStatus(
      peer: peer, intelligibility: measured.intelligibility,
      delayMilliseconds: measured.delayMilliseconds,
      processorPercent: measured.processorShare.map { 100 * $0 },
      ptimeMilliseconds: measured.packetMilliseconds, bitrateKilobits: measured.kilobits,
      application: measured.application)
  }

  /// Before anybody has to listen to a test: whether that peer sends it back.
  ///
  /// - Returns: what this node calls it.
  private nonisolated func consenting(_ text: String) async throws(IntercomError) -> String {
    let peer = try await node.trialPeer(named: text)
    guard await membership.loopBack(by: peer.node) == id else {
      let own = await membership.ownName
      throw .refused(
        "\(peer.name) does not loop our voice back; ask its user to run: comlink loopback on '\(own)'"
      )
    }
    return peer.name
  }

  private func begin(_ name: String, seconds: Double) async throws(IntercomError) {
    let wanted = try await node.trialPeer(named: name)
    if await membership.loopBack(by: wanted.node) != nil {
      throw .refused(
        "\(wanted.name) already loops a voice back, which would make a loop; end that first")
    }
    let peer = try await node.startLoopBack(of: wanted.name, seconds: seconds)
    log.event(
      .loopBack, "loop-back", ["peer": "\(peer.name)", "seconds": "\(Int(seconds))"])
    await membership.tellLoopBack(of: peer.node)
    watch?.cancel()
    watch = Task { await self.follow(peer) }
  }

  private func end() async {
    await node.endLoopBack()
    await tellEnd()
  }

  /// Tells the members when it is over: its time, the peer's leaving,
  /// or two that would send back what the other sends back.
  private func follow(_ peer: TestPeer) async {
    while !Task.isCancelled, await node.isLoopingBack {
      if await membership.loopBack(by: peer.node) != nil {
        log.event(
          .loopBackRefused, "loop-back ended: the peer loops a voice back, too",
          ["peer": "\(peer.name)"])
        await node.endLoopBack()
      }
      try? await Task.sleep(for: Self.lookInterval)
    }
    if !Task.isCancelled { await tellEnd() }
  }

  private func tellEnd() async {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    log.event(.loopBackEnded, "loop-back ended")
    await membership.tellLoopBack(of: nil)
  }
}

extension MicrophoneMeasurement {
  fileprivate var status: VoiceTestStatus {
    var status = VoiceTestStatus(
      speechSeconds: speechSeconds, peakDBFS: peakDBFS, noiseLevelDBFS: noiseLevelDBFS,
      clippedPercent: clippedPercent)
    status.speechLevelDBFS = speechLevelDBFS
    if let hum { (status.humHertz, status.humLevelDBFS) = (hum.hertz, hum.levelDBFS) }
    if let echo {
      (status.echoDecibels, status.echoMilliseconds) = (echo.decibels, echo.milliseconds)
    }
    return status
  }
}
