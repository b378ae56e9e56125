public import Audio
import EventLoop
public import Media
import RTP

/// What is done against loss: packets asked for and sent again, who gets which copies, and how the microphone is coded
/// for all members at once, by what their ways take.
///
/// Loop thread only; a report may allocate, a packet does not.
final class RepairDesk {
  /// Packets named in one datagram of a member that are looked at.
  private static let mostNamed = 64
  /// Packets sent again in one wake-up to all members together: the loop's other slots are for sound and reports.
  private static let mostResentPerWake = 32
  private static let planNanoseconds: Int64 = 1_000_000_000
  /// So much sooner where a way takes less than it is sent.
  private static let hasteNanoseconds: Int64 = 750_000_000
  /// A pause in speech comes within that time, or is not waited for.
  private static let codingPatienceNanoseconds: Int64 = 1_000_000_000
  /// Different packets made of one frame, at most, besides those without copies; further needs are served with the
  /// most copies that fit.
  static let mostRecipes = 4

  private let configuration: IntercomConfiguration
  private let capture: CapturePath
  private let outlet: PacketOutlet
  private let protection: MediaProtection
  private let codings: CodingPlan
  /// How frames are coded now; as configured, or at less where the ways to members take no more.
  private(set) var coding: VoiceCoding
  /// The different packets made of each frame.
  private(set) var recipes: [RepairRecipe] = []
  /// What the last look found best.
  var wantedCoding: VoiceCoding?
  /// What waits for a pause, as packets of another length or mode can be heard to begin; and until when at most.
  private var awaitedCoding: (coding: VoiceCoding, untilNanoseconds: Int64)?
  /// The recipes that go with `coding`.
  private var plan: RepairPlan
  private var nextPlanNanoseconds: Int64 = 0
  /// Packets sent again since the last wake-up.
  private var resentThisWake = 0
  /// Room for the packets asked for in one datagram.
  private var requestNumbers: [SequenceNumber]

  init(
    configuration: IntercomConfiguration, hasSpeechMode: Bool, capture: CapturePath,
    outlet: PacketOutlet, protection: MediaProtection
  ) {
    (self.configuration, self.capture, self.outlet) = (configuration, capture, outlet)
    self.protection = protection
    coding = configuration.coding
    codings = CodingPlan(usual: coding, hasSpeechMode: hasSpeechMode)
    plan = codings.recipes(of: coding)
    recipes.reserveCapacity(Self.mostRecipes + 2)
    requestNumbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 32)
  }

  /// Frames are coded as told by the user.
  var isUsual: Bool { coding == codings.usual }

  /// How packets in use are rated: what a path's recipe carries, of all streams that sound.
  func bitsPerSecond(of session: RepairSession) -> Int {
    session.streamCount
      * session.bitsPerSecond(full: coding.bitsPerSecond, lean: coding.leanBitsPerSecond)
  }

  /// What is done about losses on a way that nothing is known of.
  func makeSession() -> RepairSession {
    let repair = RepairSession(
      boundBitsPerSecond: configuration.mostBitsPerSecond,
      framesPerPacket: configuration.framesPerPacket,
      protectionBytes: MediaProtection.mediaOverhead)
    (repair.framesPerPacket, repair.hasFEC) = (coding.framesPerPacket, coding.hasFEC)
    if let recipe = configuration.fixedRecipe { repair.fix(recipe) }
    return repair
  }

  /// A wake-up begins.
  func begin() { resentThisWake = 0 }

  /// Asks members for packets that are missed and may still come in time.
  func sendRequests(to sessions: [Session], nowNanoseconds: Int64) {
    for session in sessions {
      guard let path = session.active else { continue }
      for heard in session.streams {
        var numbers = requestNumbers.mutableSpan
        let count = heard.stream.takeRequests(
          roundTripNanoseconds: path.reports.roundTrip?.smoothedNanoseconds,
          nowNanoseconds: nowNanoseconds, into: &numbers)
        guard count > 0 else { continue }
        let missed = requestNumbers
        outlet.sendReport(to: path.address) {
          path.reports.makeRequest(
            for: missed.span.extracting(..<count), of: heard.ssrc, into: &$0)
        }
      }
    }
  }

  /// Takes a member's feedback: sends again what it asks for.
  func take(
    _ bytes: RawSpan, of session: Session, by path: Path, nowNanoseconds: Int64
  ) throws(RTPParseError) {
    try path.reports.handleFeedback(bytes, limit: Self.mostNamed) { ssrc, number in
      guard resentThisWake < Self.mostResentPerWake,
        let stream = protection.stream(of: ssrc), let writer = stream.writer,
        writer.remembers(number, of: stream, for: session),
        path.repair?.resends.take(number, nowNanoseconds: nowNanoseconds) == true
      else { return }
      resentThisWake += 1
      writer.resend(number, of: stream, to: path.address, by: outlet)
    }
  }

  /// Whether packets get lost on the way to a member, and are asked for.
  func isRepairing(for sessions: [Session]) -> Bool {
    for session in sessions where session.active?.repair?.isAtRest == false { return true }
    return false
  }

  /// Decides anew what a member is sent, after its report, and now and then at what bit rate all is coded.
  func followLosses(of session: Session, among sessions: [Session], nowNanoseconds: Int64) {
    guard let path = session.active, let repair = path.repair else { return }
    let (full, lean) = (coding.bitsPerSecond, coding.leanBitsPerSecond)
    let streamCount = capture.soundingStreams(to: session)
    if streamCount != repair.streamCount { repair.streamCount = streamCount }
    let isTelling = repair.observe(
      path.reports.remotePattern, roundTrip: path.reports.roundTrip,
      riseBackNanoseconds: session.tellingStream?.stream.statistics.delayRiseNanoseconds ?? 0,
      sentBitsPerSecond: streamCount * repair.bitsPerSecond(full: full, lean: lean),
      sent: session.sent,
      nowNanoseconds: nowNanoseconds)
    guard isTelling else { return }
    // Planning allocates; where all is well there is nothing to plan.
    guard configuration.fixedRecipe == nil, !repair.isAtRest || !isUsual else {
      if !isRepairing(for: sessions) { wantedCoding = nil }
      return
    }
    let isTooMuch =
      repair.isReduced
      && plan.rating(
        of: repair.recipe, for: repair.need(full: full, lean: lean), full: full) == nil
    if nowNanoseconds >= nextPlanNanoseconds - (isTooMuch ? Self.hasteNanoseconds : 0) {
      nextPlanNanoseconds = nowNanoseconds + Self.planNanoseconds
      planCoding(for: sessions, nowNanoseconds: nowNanoseconds)
    }
    if repair.decide(by: plan, full: coding.bitsPerSecond, lean: lean) { regroup(sessions) }
  }

  /// Groups the connected members by what their packets carry.
  func regroup(_ sessions: [Session]) {
    recipes.removeAll(keepingCapacity: true)
    for session in sessions {
      session.recipeIndex = recipeIndex(session.active?.repair?.recipe ?? .plain)
    }
    capture.codesLean = recipes.contains { $0.needsLean }
  }

  private func recipeIndex(_ wanted: RepairRecipe) -> Int {
    if let index = recipes.firstIndex(of: wanted) { return index }
    // Without copies there are but two, and a narrow way must get its own.
    if recipes.count < Self.mostRecipes || wanted.copyCount == 0 {
      recipes.append(wanted)
      return recipes.count - 1
    }
    let fitting = recipes.indices.filter { rate(of: recipes[$0]) <= rate(of: wanted) }
    return fitting.max { recipes[$0].copyCount < recipes[$1].copyCount }
      ?? recipeIndex(RepairRecipe(primary: wanted.primary))
  }

  private func rate(of recipe: RepairRecipe) -> Int {
    recipe.bitsPerSecond(
      full: coding.bitsPerSecond, lean: coding.leanBitsPerSecond,
      framesPerPacket: coding.framesPerPacket)
  }

  /// Chooses the one coding for all, if the same is best twice in a row or a way takes no more.
  private func planCoding(for sessions: [Session], nowNanoseconds: Int64) {
    let lean = coding.leanBitsPerSecond
    let needs = sessions.compactMap {
      $0.active?.repair?.need(full: coding.bitsPerSecond, lean: lean)
    }
    let best = codings.coding(for: needs, current: coding)
    defer { wantedCoding = best }
    guard best != coding else {
      awaitedCoding = nil
      return
    }
    let isTooMuch = needs.contains {
      plan.rating(of: $0.recipe, for: $0, full: coding.bitsPerSecond) == nil
    }
    guard best == wantedCoding || isTooMuch else {
      if awaitedCoding?.coding != best { awaitedCoding = nil }
      return
    }
    if best.differsInRateOnly(from: coding) {
      awaitedCoding = nil
      change(to: best, for: sessions)
    } else {
      // Over a way that takes no more nothing is heard until less is sent.
      let untilNanoseconds =
        isTooMuch
        ? nowNanoseconds
        : awaitedCoding?.untilNanoseconds ?? nowNanoseconds + Self.codingPatienceNanoseconds
      awaitedCoding = (best, untilNanoseconds)
    }
  }

  /// Codes as usual again when nobody is left to listen: whoever comes next has a way of its own.
  func forgetNarrowWays() {
    (wantedCoding, awaitedCoding) = (nil, nil)
    if !isUsual { change(to: codings.usual, for: []) }
  }

  /// Lets packets of another length or mode begin where nobody hears it, if there is such a moment soon.
  func changeCodingIfDue(for sessions: [Session], nowNanoseconds: Int64) {
    guard let awaited = awaitedCoding,
      !capture.isVoiced || nowNanoseconds >= awaited.untilNanoseconds
    else { return }
    awaitedCoding = nil
    change(to: awaited.coding, for: sessions)
  }

  /// Codes otherwise from the next frame on; allocates.
  private func change(to new: VoiceCoding, for sessions: [Session]) {
    coding = new
    plan = codings.recipes(of: new)
    capture.code(new)
    var areRecipesChanged = false
    for session in sessions {
      guard let repair = session.active?.repair else { continue }
      (repair.framesPerPacket, repair.hasFEC) = (new.framesPerPacket, new.hasFEC)
      guard configuration.fixedRecipe == nil else { continue }
      let isChanged = repair.decide(
        by: plan, full: new.bitsPerSecond, lean: new.leanBitsPerSecond)
      areRecipesChanged = areRecipesChanged || isChanged
    }
    if areRecipesChanged { regroup(sessions) }
  }
}

extension OpusEncoder: FrameEncoder {
  /// Aims at another bit rate; one outside `bitrateRange` leaves the old one.
  public func aim(bitsPerSecond: Int) { try? setBitrate(bitsPerSecond: bitsPerSecond) }

  /// Expects another loss; one outside 0...100 leaves the old one.
  public func expect(lossPercent: Int) { try? setExpectedLoss(percent: lossPercent) }
}
extension OpusDecoder: FrameDecoder {}
extension Resampler: FrameResampler {
  /// One at the same ratio.
  public func another() -> (any FrameResampler)? { makeAnother() }
}
