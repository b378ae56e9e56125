/// Chooses the repair recipe of each receiver for one coding; `CodingPlan` chooses the coding and its bit rate.
///
/// No rule of thumb stands between loss and copies: what each recipe would have left of the packets
/// that were really lost is counted (`LossPattern.unrepaired`), the receiver's success with NACKs is
/// measured, and `SpeechQuality` weighs it against bit rate and delay. Recipes above a receiver's
/// budget are not considered.
///
/// Where frames are coded with in-band FEC (`CodingPlan` chooses that for all), a packet without copies is as good as
/// one with a copy of the frame before, of less quality; copies are counted as if there were no FEC beside them.
///
/// Against flapping: loss counts as the worse of the last 2.5 and the last 10 seconds, so more repair
/// comes within a report or two and less after ten seconds; another choice must be better by a margin, and
/// twice in a row unless by much.
public struct RepairPlan: Sendable {
  /// What is known of one receiver.
  public struct Need: Sendable {
    /// Reception of its last packets.
    public var losses: LossEstimate
    /// Share of losses left by copies that NACK and RTX repair.
    public var resendYield: Double
    /// Its budget, payload bits per second.
    public var budgetBitsPerSecond: Int
    /// Capacity of the path to it, with IP, UDP and RTP headers and encryption; nil: no known limit.
    public var wayBitsPerSecond: Int?
    /// What encryption adds to each of its packets.
    public var protectionBytes: Int
    /// Its present recipe.
    public var recipe: RepairRecipe

    /// Makes a need from its parts.
    public init(
      losses: LossEstimate, resendYield: Double, budgetBitsPerSecond: Int,
      wayBitsPerSecond: Int? = nil, protectionBytes: Int = 0, recipe: RepairRecipe
    ) {
      self.protectionBytes = protectionBytes
      self.losses = losses
      self.resendYield = resendYield
      self.budgetBitsPerSecond = budgetBitsPerSecond
      self.wayBitsPerSecond = wayBitsPerSecond
      self.recipe = recipe
    }

    /// What is left for payload in packets of so many frames.
    func budgetBitsPerSecond(framesPerPacket: Int) -> Int {
      guard let wayBitsPerSecond else { return budgetBitsPerSecond }
      return min(
        budgetBitsPerSecond,
        wayBitsPerSecond
          - CongestionWatch.headerBitsPerSecond(
            framesPerPacket: framesPerPacket, protectionBytes: protectionBytes))
    }
  }

  /// The recipes to choose from.
  ///
  /// Spaced copies are for bursts; a lean primary is for a receiver without the bit rate for more, though
  /// others have it.
  static let recipes: [RepairRecipe] = {
    var recipes = [RepairRecipe.plain, RepairRecipe(primary: .lean)]
    for distances in LossEstimate.distances.dropFirst() {
      for (primary, copies) in [(.full, .lean), (.full, .full), (.lean, .lean)]
        as [(RepairRecipe.Coding, RepairRecipe.Coding)]
      {
        recipes.append(
          RepairRecipe(
            primary: primary, copies: copies, nearDistance: distances.near,
            farDistance: distances.far))
      }
    }
    return recipes
  }()

  /// The recipe that in-band FEC is equivalent to.
  private static let recovered = RepairRecipe(nearDistance: 1)
  private static let leastCopiedBitsPerSecond = 16_000

  /// 10 ms more delay take 0.5, 10 kbit/s more take 0.2: of two that sound alike the cheaper wins.
  ///
  /// Who sends packets below 10 ms wants them at once: there 2.5 ms take 1.
  private static let impairmentPerMillisecond = (short: 0.4, long: 0.05)
  private static let longFrames = 480
  private static let impairmentPerKilobit = 0.02
  /// A change must be better by so much; by `greatMargin` it is made at once.
  private static let (margin, greatMargin) = (2.0, 6.0)

  /// Just below any rating that fits: as good as silence.
  private static let misfitRating = -20.0

  /// Frames per packet.
  let framesPerPacket: Int
  /// Whether frames are coded by the codec's speech mode.
  let isSpeech: Bool
  /// Loss that in-band FEC is made for; 0: none.
  let expectedLossPercent: Int
  private let leanBitsPerSecond: Int
  /// Possible bit rates, the best first.
  let rates: [Int]

  /// Makes a plan for frames coded like this where nothing is amiss, and at lower bit rates.
  public init(_ coding: VoiceCoding) {
    framesPerPacket = coding.framesPerPacket
    isSpeech = coding.isSpeech
    expectedLossPercent = coding.expectedLossPercent
    let lean = coding.leanBitsPerSecond
    leanBitsPerSecond = lean
    guard !coding.hasFEC else {
      let most = coding.bitsPerSecond
      rates = VoiceCoding.ratesWithFEC.filter { $0 <= most }
      return
    }
    // Below the low rate there is the low rate.
    rates =
      [coding.bitsPerSecond]
      + [
        80_000, 64_000, 48_000, 40_000, 32_000, 24_000, 20_000, 16_000,
        12_000,
      ].filter {
        (lean..<coding.bitsPerSecond).contains($0)
      }
  }

  /// The best recipe for a receiver when frames are coded at `full`, and its rating.
  ///
  /// The present recipe gets `advantage`. Where nothing fits the budget it is the smallest one, rated below all that
  /// fit: a path that is too narrow causes its own loss.
  func best(
    for need: Need, full: Int, advantage: Double
  ) -> (recipe: RepairRecipe, rating: Double) {
    var best: (recipe: RepairRecipe, rating: Double)?
    for recipe in Self.recipes {
      guard var rating = rating(of: recipe, for: need, full: full) else { continue }
      if recipe == need.recipe { rating += advantage }
      if rating > best?.rating ?? -.infinity { best = (recipe, rating) }
    }
    if let best { return best }
    let least = RepairRecipe(primary: full > leanBitsPerSecond ? .lean : .full)
    return (least, Self.misfitRating - Double(excess(of: least, for: need, full: full)) / 10_000)
  }

  /// Rates the smallest recipe by its excess over the budget, and prefers lower bit rates.
  private func excess(of least: RepairRecipe, for need: Need, full: Int) -> Int {
    let sent = least.primary == .full ? full : leanBitsPerSecond
    let way = need.wayBitsPerSecond ?? need.budgetBitsPerSecond
    let headers = CongestionWatch.headerBitsPerSecond(
      framesPerPacket: framesPerPacket, protectionBytes: need.protectionBytes)
    return sent + (need.wayBitsPerSecond == nil ? 0 : headers) - way + full / 10
  }

  /// The recipe for a receiver when frames are coded at `full`, and whether it is much better than what
  /// it is sent now, or that does not fit its budget.
  public func recipe(
    for need: Need, full: Int
  ) -> (recipe: RepairRecipe, isUrgent: Bool) {
    let chosen = best(for: need, full: full, advantage: Self.margin)
    guard chosen.recipe != need.recipe else { return (need.recipe, false) }
    guard let current = rating(of: need.recipe, for: need, full: full) else {
      return (chosen.recipe, true)
    }
    return (chosen.recipe, chosen.rating - current > Self.greatMargin)
  }

  /// The rating of a recipe for a receiver, coded at `full`;
  /// nil: above its budget, or copies come later than a receiver waits.
  public func rating(of recipe: RepairRecipe, for need: Need, full: Int) -> Double? {
    guard isHeard(recipe) else { return nil }
    let budget = need.budgetBitsPerSecond(framesPerPacket: framesPerPacket)
    let isRecoverable = isRecoverable(recipe, budget: budget)
    let unrepairedShare = need.losses.unrepairedShare(isRecoverable ? Self.recovered : recipe)
    let rate = recipe.bitsPerSecond(
      full: full, lean: leanBitsPerSecond, framesPerPacket: framesPerPacket)
    // What is sent again has to fit too.
    let resends = need.resendYield > 0.1 ? unrepairedShare * Double(full) : 0
    let needed = Double(rate) + resends
    guard needed <= Double(budget) else { return nil }
    let primary = recipe.primary == .full ? full : leanBitsPerSecond
    let coding = SpeechQuality.codingImpairment(
      bitsPerSecond: primary, framesPerPacket: framesPerPacket, isSpeech: isSpeech,
      hasFEC: expectedLossPercent > 0 && recipe.primary == .full)
    let unheard = unrepairedShare * (1 - need.resendYield)
    let loss = SpeechQuality.lossImpairment(
      share: unheard, framesPerPacket: framesPerPacket, coding: coding)
    let isLeaner =
      isRecoverable || recipe.copyCount > 0 && recipe.copies == .lean && recipe.primary == .full
    let lean =
      isLeaner
      ? SpeechQuality.leanImpairment(
        share: need.losses.lostShare - unrepairedShare, framesPerPacket: framesPerPacket) : 0
    let distance = isRecoverable ? Self.recovered.greatestDistance : recipe.greatestDistance
    let wait = Double(distance * framesPerPacket) / 48
    let perMillisecond =
      framesPerPacket < Self.longFrames
      ? Self.impairmentPerMillisecond.short : Self.impairmentPerMillisecond.long
    return 100 - coding - loss - lean - wait * perMillisecond
      - needed / 1000 * Self.impairmentPerKilobit
  }

  /// Whether a receiver with default settings waits for the farthest copies (`RepairDelay`).
  private func isHeard(_ recipe: RepairRecipe) -> Bool {
    let reach = MediaClock.nanoseconds(frames: Int64(recipe.greatestDistance * framesPerPacket))
    return recipe.greatestDistance <= 1
      || reach <= PeerStreamConfiguration.usualRepairDelayNanoseconds
  }

  /// Whether in-band FEC counts for a receiver: not where copies fit beside a voice that needs not be ashamed, which
  /// sound no worse from there on: at 29 kbit/s PESQ-WB is 3.95 at 5 % lost, and 3.65 at 10 %, with FEC 3.93 and 3.53.
  private func isRecoverable(_ recipe: RepairRecipe, budget: Int) -> Bool {
    let copied = RepairRecipe(copies: .lean, nearDistance: 1).bitsPerSecond(
      full: Self.leastCopiedBitsPerSecond, lean: leanBitsPerSecond,
      framesPerPacket: framesPerPacket)
    return expectedLossPercent > 0 && recipe.copyCount == 0 && recipe.primary == .full
      && budget < copied
  }
}
