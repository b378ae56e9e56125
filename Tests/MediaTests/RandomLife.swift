import Media
import RTP
import TestKit

/// A stream's life on a network, two machines and a talker that the seed draws.
///
/// One in twenty lives for half a minute and meets what takes seconds: clocks far apart, a radio's droughts, a narrow
/// way, long pauses, machines that are off. In the end the network is clean for three seconds.
final class RandomLife {
  /// After what happened here, what is spoken or heard has a step or a start of its own for so long.
  private static let echoMilliseconds = 500
  /// A network is clean so long before nothing may be amiss any more.
  private static let recoveryMilliseconds = 2000

  let settings: ScenarioSettings
  let scenario: StreamScenario
  let isLong: Bool
  /// Moments from which on a receiver knows nothing of how fast packets can be, as after a long silence, or before
  /// which a machine stood still.
  private(set) var turns: [Int64] = [0]
  /// What was counted when the network had been clean for two seconds.
  private(set) var recovered: PeerStreamStatistics?
  private var random: SplitMix64

  init(seed: UInt64) {
    isLong = seed % 20 == 0
    settings = Self.settings(seed: seed, isLong: isLong)
    scenario = StreamScenario(settings)
    random = SplitMix64(seed: seed &* 977)
  }

  /// Lives it from the beginning to the end.
  func live() {
    let begin = scenario.clock.nowNanoseconds
    let spanNanoseconds: Int64 = isLong ? 15_000_000_000 + Int64(random.unit() * 1.5e10) : 0
    var events = 0
    while events < 4 || scenario.clock.nowNanoseconds - begin < spanNanoseconds {
      scenario.run(milliseconds: 100 + Int(random.next() % (isLong ? 2000 : 200)))
      if isLong && random.chance(0.5) { meetLong() } else { meet() }
      events += 1
    }
    recover()
  }

  /// Stumbles, talks, pauses or starts anew.
  private func meet() {
    switch random.next() % 7 {
    case 0:
      scenario.skipReceiverPeriods(Int(random.next() % 8))
      turn()
    case 1:
      scenario.skipSenderPeriods(Int(random.next() % 8))
      turn()
    case 2: say(amplitude: random.chance(0.5) ? 0 : 0.5)
    case 3: restart(nil)
    case 4: restart(SSRC(rawValue: UInt32(random.next() % 3)))
    case 5: scenario.link.hold(untilNanoseconds: scenario.clock.nowNanoseconds + 80_000_000)
    default: break
    }
  }

  private func meetLong() {
    switch random.next() % 6 {
    case 0:
      say(amplitude: 0)
      scenario.run(milliseconds: 1000 + Int(random.next() % 3000))
      say(amplitude: 0.5)
    case 1:
      scenario.setSenderRunning(false)
      passOver { scenario.run(milliseconds: Self.echoMilliseconds + Int(random.next() % 3000)) }
      scenario.setSenderRunning(true)
      turn()
    case 2: scenario.setSenderDrift(ppm: (random.unit() - 0.5) * 1000)
    case 3: scenario.link.model.jitter = .wifi(random.chance(0.3) ? .storm : WiFi())
    case 4: scenario.link.model.rateKilobits = random.chance(0.5) ? 40 + random.unit() * 200 : nil
    default: scenario.link.model = settings.link
    }
  }

  /// Whatever comes now is exact: what the network held back is through, and nobody starts anew any more.
  private func recover() {
    scenario.link.model = LinkModel()
    scenario.link.model.delayNanoseconds = settings.link.delayNanoseconds
    say(amplitude: 0.5)
    // What waits in the queue of a narrow way, or was held.
    scenario.run(milliseconds: 400)
    scenario.run(milliseconds: Self.recoveryMilliseconds)
    recovered = scenario.stream.statistics
    scenario.run(milliseconds: 1000)
  }

  /// The tone begins or ends at any place, which is a step of its own until it has been heard.
  private func say(amplitude: Float) {
    turn()
    passOver {
      scenario.setAmplitude(amplitude)
      scenario.run(milliseconds: Self.echoMilliseconds)
    }
  }

  private func restart(_ ssrc: SSRC?) {
    scenario.restartSender(ssrc: ssrc)
    turn()
  }

  private func turn() { turns.append(scenario.clock.nowNanoseconds) }

  /// Steps meanwhile are not counted.
  private func passOver(_ part: () -> Void) {
    let before = scenario.greatestStep
    part()
    scenario.greatestStep = before
  }
}

extension RandomLife {
  /// By how much a packet was heard later than the bound says; nil: none was.
  ///
  /// A packet may wait as long as is allowed after the fastest of the last two seconds would have come; of what came
  /// within the last tenth of a second the stream need not know yet. What was begun before a turn holds the time of the
  /// turn. For two seconds after it the stream may know of one packet only, the slowest of all, even if it came just
  /// now: one that the network held can prove a new stream, and those before it were thrown away, as nobody knew whose
  /// they were. A step of the path's delay that the stream took note of is a turn:
  /// what came before says nothing any more.
  var mostBeyondBound: Int64? {
    let turns = (turns + scenario.stepMoments).sorted()
    let journeys = scenario.link.journeys.compactMap { journey in
      journey.arrivalNanoseconds.map { (at: $0, transit: $0 - journey.sentNanoseconds) }
    }.sorted { $0.at < $1.at }
    let frame = Int64(settings.framesPerPacket) * 62_500 / 3
    var (first, turn) = (0, 0)
    var most: Int64?
    for heard in scenario.observations {
      let beat = heard.beatNanoseconds
      while turn + 1 < turns.count, turns[turn + 1] <= beat { turn += 1 }
      guard beat - heard.delayNanoseconds > turns[turn] else { continue }
      let since = max(beat - 1_800_000_000, turns[turn])
      while first < journeys.count, journeys[first].at < since { first += 1 }
      let isNew = beat - turns[turn] < 2_200_000_000
      let known = isNew ? beat : beat - 100_000_000
      let recent = journeys[first...].prefix { $0.at <= known }.map(\.transit)
      guard let fastest = isNew ? recent.max() : recent.min() else { continue }
      let bound = frame + fastest + settings.stream.playoutDelayMaximumNanoseconds
      let beyond = heard.delayNanoseconds - bound
      if beyond > 0 { most = max(most ?? 0, beyond) }
    }
    return most
  }

  /// Packets that may be late in the end: until the clocks are known, a beat may slide past those that come at once.
  var excusedPackets: Int {
    guard settings.senderDriftPPM != 0, recovered?.isClockLocked == false else { return 0 }
    return settings.periodFrames / settings.framesPerPacket + 1
  }

  /// Whether the playout delay has room for what the two machines alone need.
  var canBePunctual: Bool {
    let needed =
      Int64(2 * settings.periodFrames + settings.framesPerPacket) * 62_500 / 3 + 3_000_000
    guard needed < settings.stream.playoutDelayMaximumNanoseconds else { return false }
    if case .fixed(let delay) = settings.stream.playoutDelay { return needed < delay }
    return true
  }

  fileprivate static func settings(seed: UInt64, isLong: Bool) -> ScenarioSettings {
    var random = SplitMix64(seed: seed)
    var settings = ScenarioSettings()
    settings.seed = seed
    settings.framesPerPacket = [120, 240, 480, 960, 1920, 2880][Int(random.next() % 6)]
    settings.periodFrames = [32, 64, 128, 256, 441, 1024][Int(random.next() % 6)]
    settings.senderPhaseNanoseconds = Int64(random.unit() * 20_000_000)
    settings.senderDriftPPM = (random.unit() - 0.5) * (isLong ? 1000 : 400)
    settings.usesDTX = random.chance(0.5)
    settings.tellsGrid = random.chance(0.8)
    settings.firstSequenceNumber = SequenceNumber(
      rawValue: UInt16.random(in: 65_400 ... .max, using: &random))
    settings.firstTimestamp = RTPTimestamp(
      rawValue: .max - UInt32.random(in: 0...30_000, using: &random))
    if random.chance(0.3) {
      settings.stream.playoutDelay = .fixed(nanoseconds: Int64(random.unit() * 60_000_000))
    }
    settings.stream.playoutDelayMaximumNanoseconds = 20_000_000 + Int64(random.unit() * 1e8)
    settings.link = link(&random)
    return settings
  }

  private static func link(_ random: inout SplitMix64) -> LinkModel {
    var link = LinkModel()
    link.delayNanoseconds = Int64(random.unit() * 30_000_000)
    let jitter = Int64(random.unit() * random.unit() * 40_000_000)
    link.jitter =
      [
        .none, .uniform(nanoseconds: jitter), .gaussian(nanoseconds: jitter / 2),
      ][Int(random.next() % 3)]
    link.keepsOrder = random.chance(0.5)
    link.loss = random.chance(0.5) ? random.unit() * 0.2 : 0
    if random.chance(0.3) { link.bursts = .init(begin: 0.02, end: 0.2) }
    link.duplication = random.chance(0.3) ? 0.1 : 0
    link.reorder = random.chance(0.3) ? 0.1 : 0
    return link
  }
}
