import Testing

@testable import Media

/// Whether packets tell of the ones before them, at the expense of the voice in them.
@Suite struct CodingPlanFECTests {
  private static let saver = VoiceCoding(
    framesPerPacket: 1920, bitsPerSecond: 20_000, isSpeech: true)

  /// A receiver that loses so much at random and may be sent so much.
  private static func need(
    loss: Double, kilobits: Int, yield: Double = 0, way: Int? = nil, seed: UInt64 = 3
  ) -> RepairPlan.Need {
    RepairPlan.Need(
      losses: loss == 0 ? LossEstimate() : RepairPlanTests.losses(random: loss, seed: seed),
      resendYield: yield, budgetBitsPerSecond: kilobits * 1000,
      wayBitsPerSecond: way.map { $0 * 1000 }, recipe: .plain)
  }

  private static func coding(
    for needs: [RepairPlan.Need], usual: VoiceCoding = saver, current: VoiceCoding? = nil
  ) -> VoiceCoding {
    CodingPlan(usual: usual, hasSpeechMode: true).coding(for: needs, current: current ?? usual)
  }

  private static func coding(frames: Int, kilobits: Int, isSpeech: Bool = true) -> VoiceCoding {
    VoiceCoding(framesPerPacket: frames, bitsPerSecond: kilobits * 1000, isSpeech: isSpeech)
  }

  struct Decision: CustomTestStringConvertible {
    var loss: Double
    var kilobits: Int
    var hasFEC: Bool
    var usual = saver
    var yield = 0.0
    var testDescription: String {
      "\(loss), \(kilobits) kbit/s, \(usual.framesPerPacket), \(usual.bitsPerSecond), \(yield)"
    }
  }

  static let decisions = [
    // Not without loss, and not for a little.
    Decision(loss: 0, kilobits: 20, hasFEC: false), Decision(loss: 0, kilobits: 48, hasFEC: false),
    Decision(loss: 0.01, kilobits: 22, hasFEC: false),
    // Where copies do not fit.
    Decision(loss: 0.05, kilobits: 20, hasFEC: true),
    Decision(loss: 0.05, kilobits: 22, hasFEC: true),
    Decision(loss: 0.1, kilobits: 20, hasFEC: true),
    Decision(loss: 0.1, kilobits: 24, hasFEC: true),
    Decision(loss: 0.2, kilobits: 22, hasFEC: true),
    Decision(loss: 0.05, kilobits: 28, hasFEC: true),
    // Where they do.
    Decision(loss: 0.05, kilobits: 30, hasFEC: false),
    Decision(loss: 0.05, kilobits: 36, hasFEC: false),
    Decision(loss: 0.1, kilobits: 36, hasFEC: false),
    Decision(loss: 0.05, kilobits: 48, hasFEC: false),
    Decision(loss: 0.2, kilobits: 48, hasFEC: false),
    // Who gets by asking what it misses.
    Decision(loss: 0.05, kilobits: 22, hasFEC: false, yield: 0.95),
    // The low-delay mode has none, and the longest packets would come too late.
    Decision(
      loss: 0.1, kilobits: 22, hasFEC: false, usual: coding(frames: 480, kilobits: 20)),
    Decision(
      loss: 0.1, kilobits: 22, hasFEC: true, usual: coding(frames: 960, kilobits: 20)),
    Decision(
      loss: 0.1, kilobits: 22, hasFEC: false, usual: coding(frames: 2880, kilobits: 20)),
    Decision(
      loss: 0.1, kilobits: 22, hasFEC: false,
      usual: coding(frames: 480, kilobits: 20, isSpeech: false)),
    // Of too few bits libopus makes none.
    Decision(loss: 0.1, kilobits: 14, hasFEC: false, usual: coding(frames: 1920, kilobits: 14)),
  ]

  @Test(arguments: decisions)
  func `whether it pays`(_ decision: Decision) {
    let need = Self.need(
      loss: decision.loss, kilobits: decision.kilobits, yield: decision.yield)
    let coding = Self.coding(for: [need], usual: decision.usual)
    #expect(coding.hasFEC == decision.hasFEC, "\(coding)")
    let plan = CodingPlan(usual: decision.usual, hasSpeechMode: true).recipes(of: coding)
    let recipe = plan.recipe(for: need, full: coding.bitsPerSecond).recipe
    let rate = recipe.bitsPerSecond(
      full: coding.bitsPerSecond, lean: coding.leanBitsPerSecond,
      framesPerPacket: coding.framesPerPacket)
    #expect(rate <= decision.kilobits * 1000, "\(coding) \(recipe)")
    if coding.hasFEC { #expect(recipe == .plain) }
  }

  @Test func `who hears everything forbids it to the rest`() {
    let needy = Self.need(loss: 0.1, kilobits: 22)
    let fine = Self.need(loss: 0, kilobits: 22)
    #expect(Self.coding(for: [needy, needy, needy]).hasFEC)
    #expect(!Self.coding(for: [needy, needy, needy, fine]).hasFEC)
    // Its copies fit.
    #expect(!Self.coding(for: [needy, needy, Self.need(loss: 0.1, kilobits: 48)]).hasFEC)
  }

  @Test func `without loss it ends at once`() {
    var telling = Self.saver
    (telling.expectedLossPercent, telling.bitsPerSecond) = (7, 22_000)
    let coding = Self.coding(for: [Self.need(loss: 0, kilobits: 22)], current: telling)
    #expect(coding == Self.saver)
  }

  @Test func `a loss that wavers does not make it waver`() {
    var current = Self.saver
    var changes = 0
    for step in 0..<60 {
      let loss = 0.03 + 0.01 * Double(step * 7 % 11) / 10
      let need = Self.need(loss: loss, kilobits: 22, seed: UInt64(step))
      let coding = Self.coding(for: [need], current: current)
      if coding.hasFEC != current.hasFEC { changes += 1 }
      current = coding
    }
    #expect(changes <= 4, "\(changes)")
  }

  @Test(arguments: [40, 34, 31])
  func `on a narrow way loss is not for FEC`(way: Int) {
    var telling = Self.saver
    (telling.expectedLossPercent, telling.bitsPerSecond) = (7, 22_000)
    for current in [Self.saver, telling] {
      let need = Self.need(loss: 0.1, kilobits: 22, way: way)
      #expect(!Self.coding(for: [need], current: current).hasFEC)
    }
  }
}
