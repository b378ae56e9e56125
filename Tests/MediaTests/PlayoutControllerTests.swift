import TestKit
import Testing

@testable import Media

@Suite struct PlayoutControllerTests {
  /// Packets each 2.5 ms with given transit times; playout needs no lead.
  private static func controller(
    transits: [Int64], delay: PlayoutDelay = .auto, maximum: Int64 = 120_000_000,
    lateShare: Double = 0.005
  ) -> PlayoutController {
    var controller = PlayoutController(
      PeerStreamConfiguration(
        playoutDelay: delay, playoutDelayMaximumNanoseconds: maximum, lateShare: lateShare))
    observe(transits, from: 0, by: &controller)
    return controller
  }

  private static func observe(
    _ transits: [Int64], from first: Int, by controller: inout PlayoutController
  ) {
    for (index, transit) in transits.enumerated() {
      let media = Int64(first + index) * 2_500_000
      controller.observe(
        arrivalNanoseconds: media + transit, mediaNanoseconds: media,
        durationNanoseconds: 2_500_000, isLate: false)
    }
  }

  @Test func `the target covers all but the wanted rate of late packets`() {
    // 12 s of packets: 0.5 % are 24 of them.
    var transits = [Int64](repeating: 1_000_000, count: 4800)
    for index in 0..<20 { transits[index * 240] = 30_000_000 }
    let few = Self.controller(transits: transits)
    #expect(few.targetNanoseconds == 1_200_000)
    for index in 0..<20 { transits[index * 240 + 120] = 20_000_000 }
    let many = Self.controller(transits: transits)
    #expect(many.targetNanoseconds > 20_000_000)
    #expect(many.targetNanoseconds < 25_000_000)
  }

  @Test func `who wants fewer late packets gets more delay`() {
    // One in 60 is 20 ms late, one in 240 30 ms.
    var transits = [Int64](repeating: 1_000_000, count: 4800)
    for index in 0..<80 { transits[index * 60] = index % 4 == 0 ? 30_000_000 : 20_000_000 }
    let targets = [0.05, 0.005, 0.001].map {
      Self.controller(transits: transits, lateShare: $0).targetNanoseconds / 1_000_000
    }
    #expect(targets[0] <= 2)
    #expect((20...25).contains(targets[1]))
    #expect((30...35).contains(targets[2]))
  }

  @Test func `on a calm link too fewer late packets take more delay`() {
    // Three in 800 are 5 ms late: two seconds' 1 % passes over them, 0.1 % does not.
    var transits = [Int64](repeating: 1_000_000, count: 800)
    for index in 1...3 { transits[index * 200] = 5_000_000 }
    let targets = [0.005, 0.000_5].map {
      Self.controller(transits: transits, lateShare: $0).targetNanoseconds
    }
    #expect(targets[0] == 1_200_000)
    #expect(targets[1] == 5_200_000)
  }

  /// What is spare is trimmed as far as the target is really higher for it.
  @Test(arguments: [(30, 20, 20), (30, 0, 0), (0, 0, 0)] as [(Int64, Int64, Int)])
  func `delay that repairs need no more is trimmed`(repair: Int64, spare: Int64, trimmed: Int) {
    for delay in [.auto, .fixed(nanoseconds: 20_000_000)] as [PlayoutDelay] {
      var controller = Self.controller(
        transits: .init(repeating: 1_000_000, count: 400), delay: delay)
      controller.repairDelayNanoseconds = repair * 1_000_000
      controller.spareNanoseconds = spare * 1_000_000
      let wanted = delay == .auto ? trimmed * 48 : 0
      switch controller.correction(offset: controller.targetNanoseconds, nowNanoseconds: 0) {
      case .none: #expect(wanted == 0)
      case .trim(let frames): #expect(frames == wanted)
      case .splice, .jump: Issue.record("nothing is to be corrected")
      }
    }
  }

  @Test func `a fixed delay is measured from the mean arrival`() {
    let transits = (0..<800).map { Int64($0 % 2) * 2_000_000 }
    let controller = Self.controller(
      transits: transits, delay: .fixed(nanoseconds: 10_000_000))
    #expect(abs(controller.targetNanoseconds - 11_000_000) < 20_000)
  }

  /// Each splice of 8 frames and more would be one for 3 ms of sound at 50 ppm.
  @Test(arguments: [(-300, true), (-1500, false)] as [(Int64, Bool)])
  func `a fixed delay with room to spare is not held to the microsecond`(
    microseconds: Int64, isLeft: Bool
  ) {
    var controller = Self.controller(
      transits: .init(repeating: 1_000_000, count: 800), delay: .fixed(nanoseconds: 40_000_000))
    let offset = controller.targetNanoseconds + microseconds * 1000
    switch controller.correction(offset: offset, nowNanoseconds: 0) {
    case .none: #expect(isLeft)
    case .splice(let frames, _): #expect(!isLeft && frames > 0)
    case .trim, .jump: Issue.record("nothing is too late")
    }
  }

  @Test func `a fixed delay is not moved by a stall`() {
    let (usual, delay): (Int64, Int64) = (1_000_000, 40_000_000)
    var controller = Self.controller(
      transits: .init(repeating: usual, count: 800), delay: .fixed(nanoseconds: delay))
    // What is held up for 100 ms comes all at once.
    Self.observe((0..<40).map { usual + (40 - $0) * 2_500_000 }, from: 800, by: &controller)
    for round in 0..<30 {
      Self.observe(.init(repeating: usual, count: 20), from: 840 + 20 * round, by: &controller)
      #expect(abs(controller.targetNanoseconds - usual - delay) < 100_000)
    }
  }

  @Test func `a fixed delay follows a shift that lasts`() {
    var controller = Self.controller(
      transits: .init(repeating: 1_000_000, count: 800), delay: .fixed(nanoseconds: 10_000_000))
    Self.observe(.init(repeating: 31_000_000, count: 800), from: 800, by: &controller)
    #expect(abs(controller.targetNanoseconds - 41_000_000) < 100_000)
  }

  @Test(arguments: [PlayoutDelay.auto, .fixed(nanoseconds: 500_000_000)])
  func `the target stays below the bound`(delay: PlayoutDelay) {
    var random = SplitMix64(seed: 4)
    let transits = (0..<800).map { _ in Int64(random.unit() * 200_000_000) }
    let controller = Self.controller(transits: transits, delay: delay, maximum: 50_000_000)
    #expect(controller.targetNanoseconds < controller.boundNanoseconds)
    #expect(controller.boundNanoseconds < 52_000_000)
  }

  @Test func `a shift of four packets is followed at once but a spike is not`() {
    var shifted = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    Self.observe(.init(repeating: 6_000_000, count: 4), from: 400, by: &shifted)
    #expect(shifted.targetNanoseconds == 6_200_000)

    var spiked = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    // Four packets released together.
    Self.observe((0..<4).map { 11_000_000 - $0 * 2_500_000 }, from: 400, by: &spiked)
    #expect(spiked.targetNanoseconds < 6_000_000)
  }

  @Test func `a surplus is taken out more urgently as time passes`() throws {
    var controller = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    let offset = controller.targetNanoseconds + 2_000_000
    var urgencies: [Float] = []
    for now in stride(from: Int64(0), through: 700_000_000, by: 350_000_000) {
      guard
        case .splice(let frames, let urgency) = controller.correction(
          offset: offset, nowNanoseconds: now)
      else {
        Issue.record("no splice")
        return
      }
      #expect(frames == -96)
      urgencies.append(urgency)
    }
    #expect(urgencies == [0, 0.5, 1])
  }

  @Test(arguments: [(20, [-1, -1, 0.5]), (40, [0, 1, 2.5])] as [(Int64, [Float?])])
  func `a place for repairs waits for silence unless much is missing`(
    repair: Int64, wanted: [Float?]
  ) {
    var controller = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    let offset = controller.targetNanoseconds
    controller.repairDelayNanoseconds = repair * 1_000_000
    let moments: [Int64] = [0, 1_500_000_000, 3_750_000_000]
    let urgencies = moments.map { now -> Float? in
      guard
        case .splice(let frames, let urgency) = controller.correction(
          offset: offset, nowNanoseconds: now), frames > 0
      else { return nil }
      return urgency
    }
    #expect(urgencies == wanted)
  }

  @Test func `room for a resampler is made though nobody is silent`() {
    var controller = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    let offset = controller.targetNanoseconds
    controller.pathNanoseconds = 420_000
    Self.observe([1_000_000], from: 400, by: &controller)
    let moments: [Int64] = [0, 750_000_000, 1_500_000_000]
    // What is nearly enough counts no other way than what is not.
    let deficits: [Int64] = [0, 0, 400_000]
    let urgencies = zip(moments, deficits).map { now, made -> Float? in
      guard
        case .splice(let frames, let urgency) = controller.correction(
          offset: offset + made, nowNanoseconds: now), frames > 0
      else { return nil }
      return urgency
    }
    #expect(urgencies == [0, 0.5, 1])
  }

  @Test(arguments: [(-40_000, 0), (-60_000, 3), (0, 0), (700_000, 0), (800_000, -38)])
  func `only what matters is corrected`(surplus: Int64, frames: Int) {
    var controller = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    let correction = controller.correction(
      offset: controller.targetNanoseconds + surplus, nowNanoseconds: 0)
    switch correction {
    case .none: #expect(frames == 0)
    case .splice(let wanted, _): #expect(wanted == frames)
    case .trim: Issue.record("nothing is spare")
    case .jump: Issue.record("jump")
    }
  }

  @Test func `a small surplus goes after a while`() {
    var controller = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    let offset = controller.targetNanoseconds + 400_000
    guard case .none = controller.correction(offset: offset, nowNanoseconds: 0),
      case .none = controller.correction(offset: offset, nowNanoseconds: 4_900_000_000),
      case .splice = controller.correction(offset: offset, nowNanoseconds: 5_100_000_000)
    else {
      Issue.record("not after five seconds")
      return
    }
  }

  @Test func `above the bound it jumps`() {
    var controller = Self.controller(transits: .init(repeating: 1_000_000, count: 400))
    let offset = controller.boundNanoseconds + 1
    guard case .jump(let frames) = controller.correction(offset: offset, nowNanoseconds: 0) else {
      Issue.record("no jump")
      return
    }
    #expect(abs(frames - 119 * 48) < 48)
  }
}

@Suite struct PlayoutGridTests {
  private static let grid = PlayoutGrid(
    beatNanoseconds: 1000, beatFrames: 0, periodNanoseconds: 100, leadNanoseconds: 30)

  @Test(
    arguments: [
      (970, 1000), (971, 1100), (1070, 1100), (1071, 1200), (870, 900), (871, 1000), (-30, 0),
      (-31, 0), (-130, -100),
    ] as [(Int64, Int64)])
  func `an arrival can be used from the next beat on`(arrival: Int64, beat: Int64) {
    #expect(Self.grid.firstBeat(forArrival: arrival) == beat)
  }

  @Test(arguments: [(1000, 0), (1100, 0), (1030, 30), (1070, 30), (850, 50), (5000, 0)])
  func `displacement is the distance to the nearest beat`(beat: Int64, displacement: Int64) {
    var other = Self.grid
    other.beatNanoseconds = beat
    #expect(Self.grid.displacement(of: other) == displacement)
  }
}
