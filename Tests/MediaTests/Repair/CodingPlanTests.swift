import Testing

@testable import Media

@Suite struct CodingPlanTests {
  private static let usual = VoiceCoding(framesPerPacket: 480, bitsPerSecond: 32_000)
  private static let plan = CodingPlan(
    usual: usual, hasSpeechMode: true)

  /// A receiver whose way takes so much, headers and all; nil: whatever is sent.
  private static func need(way kilobits: Int?) -> RepairPlan.Need {
    RepairPlan.Need(
      losses: LossEstimate(), resendYield: 0, budgetBitsPerSecond: 96_000,
      wayBitsPerSecond: kilobits.map { $0 * 1000 }, recipe: .plain)
  }

  /// What a coding takes of a way, kbit/s.
  private static func kilobits(_ coding: VoiceCoding) -> Int {
    (coding.bitsPerSecond + 48 * 8 * 48_000 / coding.framesPerPacket) / 1000
  }

  @Test func `where nothing is in the way the usual coding holds`() {
    for current in [Self.usual, VoiceCoding(framesPerPacket: 2880, bitsPerSecond: 16_000)] {
      #expect(Self.plan.coding(for: [Self.need(way: nil)], current: current) == Self.usual)
    }
  }

  @Test(arguments: [66, 54, 44, 34, 28, 24])
  func `what is chosen fits the way`(kilobits: Int) {
    let coding = Self.plan.coding(for: [Self.need(way: kilobits)], current: Self.usual)
    #expect(Self.kilobits(coding) <= kilobits, "\(coding)")
    #expect(coding.bitsPerSecond >= coding.leanBitsPerSecond)
  }

  @Test func `the narrower the way the longer the packets`() {
    let frames = [64, 48, 34, 24].map {
      Self.plan.coding(for: [Self.need(way: $0)], current: Self.usual).framesPerPacket
    }
    #expect(frames == frames.sorted())
    #expect(frames.first ?? 0 <= 960)
    #expect(frames.last ?? 0 >= 1920)
  }

  @Test func `one narrow way does not delay the rest`() {
    let others = (0..<12).map { _ in Self.need(way: nil) }
    let coding = Self.plan.coding(for: others + [Self.need(way: 60)], current: Self.usual)
    #expect(coding == Self.usual)
  }

  /// However narrow it is, or is said to be.
  @Test(arguments: [1, 2, 4, 16], [12, 18, 21, 30])
  func `a way that takes hardly anything takes little from the rest`(others: Int, kilobits: Int) {
    for frames in [120, 240, 480, 960] {
      let usual = VoiceCoding(framesPerPacket: frames, bitsPerSecond: 64_000)
      let plan = CodingPlan(usual: usual, hasSpeechMode: true)
      let needs = [Self.need(way: kilobits)] + (0..<others).map { _ in Self.need(way: nil) }
      for current in [
        usual, VoiceCoding(framesPerPacket: 2880, bitsPerSecond: 12_000, isSpeech: true),
      ] {
        let coding = plan.coding(for: needs, current: current)
        let impairments = [usual, coding].map {
          SpeechQuality.codingImpairment(
            bitsPerSecond: $0.bitsPerSecond, framesPerPacket: $0.framesPerPacket,
            isSpeech: $0.isSpeech)
            + 0.25 * Double($0.framesPerPacket) / 48
        }
        #expect(impairments[1] - impairments[0] <= 6.5, "\(frames): \(coding)")
      }
    }
  }

  /// Among themselves they agree on what gets them most.
  @Test func `where all ways are narrow the voice is made to fit`() {
    let coding = Self.plan.coding(
      for: [Self.need(way: 21), Self.need(way: 21)], current: Self.usual)
    #expect(Self.kilobits(coding) <= 21, "\(coding)")
  }

  @Test func `a way that wavers does not make the packets waver`() {
    var changes = 0
    var current = Self.usual
    for step in 0..<60 {
      let coding = Self.plan.coding(
        for: [Self.need(way: 48 + step * 7 % 11)], current: current)
      if coding.framesPerPacket != current.framesPerPacket { changes += 1 }
      current = coding
    }
    #expect(changes <= 2)
  }

  @Test(arguments: [120, 240, 480, 960, 1920, 2880])
  func `packets never get shorter than usual`(frames: Int) {
    let plan = CodingPlan(
      usual: VoiceCoding(framesPerPacket: frames, bitsPerSecond: 64_000),
      hasSpeechMode: true)
    for kilobits in stride(from: 18, through: 120, by: 6) {
      let coding = plan.coding(for: [Self.need(way: kilobits)], current: plan.usual)
      #expect(coding.framesPerPacket >= frames)
      #expect(!coding.isSpeech || coding.framesPerPacket >= 480)
      #expect(plan.recipes(of: coding).framesPerPacket == coding.framesPerPacket)
    }
  }
}
