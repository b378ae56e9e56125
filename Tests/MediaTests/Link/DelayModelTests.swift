import TestKit
import Testing

@Suite struct DelayModelTests {
  private static func model(_ jitter: LinkModel.Jitter, delayMilliseconds: Int64) -> LinkModel {
    var model = LinkModel()
    model.delayNanoseconds = delayMilliseconds * 1_000_000
    model.jitter = jitter
    return model
  }

  @Test func `a constant delay is constant`() {
    let delays = PacketStream(Self.model(.none, delayMilliseconds: 30)).delays
    #expect(delays.allSatisfy { $0 == 30 })
  }

  @Test func `uniform jitter is uniform above the constant delay`() {
    let jitter = LinkModel.Jitter.uniform(nanoseconds: 10_000_000)
    let delays = PacketStream(Self.model(jitter, delayMilliseconds: 30)).delays
    #expect(delays.allSatisfy { (30..<40).contains($0) })
    for decile in 1...9 {
      #expect(abs(delays.quantile(Double(decile) / 10) - 30 - Double(decile)) < 0.2)
    }
  }

  @Test func `gaussian jitter is normal around the constant delay`() {
    let jitter = LinkModel.Jitter.gaussian(nanoseconds: 5_000_000)
    let delays = PacketStream(Self.model(jitter, delayMilliseconds: 40)).delays
    #expect(abs(delays.mean - 40) < 0.2)
    #expect(abs(delays.quantile(0.1587) - 35) < 0.25)
    #expect(abs(delays.quantile(0.8413) - 45) < 0.25)
    #expect(abs(delays.quantile(0.99) - 51.6) < 0.6)
  }

  @Test func `no delay gets negative`() {
    let jitter = LinkModel.Jitter.gaussian(nanoseconds: 5_000_000)
    let delays = PacketStream(Self.model(jitter, delayMilliseconds: 0)).delays
    #expect(delays.allSatisfy { $0 >= 0 })
    #expect(abs(delays.count { $0 == 0 } - 10_000) < 400)
  }

  @Test func `a radio's delays have the quantiles that were asked for`() {
    var radio = WiFi()
    radio.droughtGapNanoseconds = 1_000_000_000_000_000
    // So far apart that no packet waits for the one before it.
    let delays = PacketStream(
      Self.model(.wifi(radio), delayMilliseconds: 1), everyMilliseconds: 1000
    ).delays
    #expect(abs(delays.quantile(0.5) - 7) < 0.2)
    #expect(abs(delays.quantile(0.99) - 31) < 2)
  }

  @Test func `a radio keeps order, and after a drought packets come in a bunch`() {
    var radio = WiFi()
    radio.droughtGapNanoseconds = 2_000_000_000
    // Else packets that keep order behind a slow one would make bunches too.
    radio.p99Nanoseconds = 9_000_000
    let stream = PacketStream(Self.model(.wifi(radio), delayMilliseconds: 1))
    let arrivals = stream.arrivals
    #expect(arrivals == arrivals.sorted())
    let bunches = Dictionary(grouping: arrivals) { $0 }.values.filter { $0.count >= 4 }
    // 200 s in which one comes every two seconds; the short ones catch fewer packets.
    #expect((45...105).contains(bunches.count))
    let pauses = zip(arrivals.dropFirst(), arrivals).map { Double($0 - $1) / 1e6 }
    // A pause before a drought belongs to the jitter.
    #expect((60...150).contains(pauses.quantile(1)))
    #expect(pauses.count { $0 > 40 } >= 40)
  }

  @Test func `a storm is worse by far`() {
    let calm = PacketStream(Self.model(.wifi(WiFi()), delayMilliseconds: 0)).delays
    let storm = PacketStream(Self.model(.wifi(.storm), delayMilliseconds: 0)).delays
    #expect((5.5...8).contains(calm.quantile(0.5)))
    #expect((25...60).contains(calm.quantile(0.99)))
    #expect(storm.quantile(0.5) > 4 * calm.quantile(0.5))
    #expect(storm.quantile(0.99) > 2 * calm.quantile(0.99))
  }

  @Test func `order is kept where it should be`() {
    var model = Self.model(.gaussian(nanoseconds: 20_000_000), delayMilliseconds: 40)
    #expect(PacketStream(model).arrivals != PacketStream(model).arrivals.sorted())
    model.keepsOrder = true
    #expect(PacketStream(model).arrivals == PacketStream(model).arrivals.sorted())
  }

  @Test func `a detour is overtaken and holds nobody up`() {
    var model = Self.model(.none, delayMilliseconds: 10)
    model.keepsOrder = true
    model.reorder = 0.1
    let stream = PacketStream(model, everyMilliseconds: 2)
    #expect(Set(stream.delays) == [10, 14])
    #expect(stream.arrivals != stream.arrivals.sorted())
  }
}
