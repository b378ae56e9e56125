import EventLoop
import Media
import TestKit
import Testing

@testable import Intercom

/// Two seconds in which a radio is in trouble, packets late and lost; afterwards the delay is to come back soon.
@Suite struct StationStormTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  /// What the microphone hears.
  enum Talk: CaseIterable {
    /// Phrases of 2 s, 0.4 s apart.
    case speech
    /// Sound without a pause.
    case continuous

    func sample(_ frame: Int) -> Float {
      let isPause = self == .speech && frame % 115_200 >= 96_000
      return isPause ? 0 : Tone(hertz: 440).sample(frame)
    }
  }

  /// Two milliseconds, in order.
  private static let calm: LinkModel = {
    var model = LinkModel()
    model.delayNanoseconds = 2_000_000
    model.keepsOrder = true
    return model
  }()

  /// Droughts, and one packet in eight lost, in bursts.
  private static let storm: LinkModel = {
    var model = calm
    model.jitter = .wifi(.storm)
    model.bursts = .init(share: 0.12, meanLength: 3)
    return model
  }()

  /// Delays in milliseconds: the longest before the storm, the longest afterwards.
  private struct Course {
    var calm = 0.0
    var most = 0.0
    /// From the end of the storm until the delay is as before, for good.
    var backSeconds = 0.0
  }

  private func course(_ talk: Talk, _ profile: Profile, seed: UInt64) throws -> Course {
    let network = VirtualNetwork(model: Self.calm, seed: seed)
    let beat = VirtualNode.Beat(periodFrames: 256)
    let (anna, bert) = (
      try VirtualNode("Anna", at: home, beat: beat) { $0.take(profile) },
      try VirtualNode("Bert", at: away, beat: beat) { $0.take(profile) }
    )
    network.add(anna)
    network.add(bert)
    anna.mic = talk.sample
    try anna.meet(bert, network)
    network.run(seconds: 10 + 0.37 * Double(seed))
    let stream = try #require(bert.peer(at: home)?.stream)
    let delay = { Double(stream.statistics.playoutDelayNanoseconds) / 1e6 }
    var course = Course()
    for _ in 0..<10 {
      network.run(seconds: 0.5)
      course.calm = max(course.calm, delay())
    }
    network.model = Self.storm
    network.run(seconds: 2)
    network.model = Self.calm
    for tenth in 1...250 {
      network.run(seconds: 0.1)
      course.most = max(course.most, delay())
      if delay() > course.calm + 5 { course.backSeconds = Double(tenth) / 10 }
    }
    return course
  }

  @Test(arguments: Talk.allCases, [Profile.wifi, .stage])
  func `the delay is back within twenty seconds of the storm`(talk: Talk, profile: Profile) throws {
    for seed in Seeds.first(3) {
      let course = try course(talk, profile, seed: seed)
      #expect(course.most > course.calm + 30, "seed \(seed): \(course)")
      #expect(course.backSeconds <= 20, "seed \(seed): \(course)")
    }
  }
}
