import TestKit
import Testing

@Suite struct RateCapTests {
  private static func model(kilobits: Double, queueMilliseconds: Int64) -> LinkModel {
    var model = LinkModel()
    model.delayNanoseconds = 0
    model.rateKilobits = kilobits
    model.queueNanoseconds = queueMilliseconds * 1_000_000
    return model
  }

  @Test(arguments: [100, 200, 1000])
  func `what is too much for the cap is dropped, the rest fills it`(bytes: Int) {
    // Twice the cap.
    let interval = Double(bytes) * 8 / 128
    let model = Self.model(kilobits: 64, queueMilliseconds: 200)
    let stream = PacketStream(
      model, count: 4000, everyMilliseconds: interval, packetBytes: bytes)
    let seconds = Double(stream.arrivals.last ?? 0) / 1e9
    let rate = Double(stream.arrivals.count * bytes) * 8 / 1000 / seconds
    #expect(abs(rate - 64) < 0.5)
    #expect(abs(stream.counters.dropped - 2000) < 40)
    #expect(stream.counters.dropped + stream.counters.forwarded == 4000)
  }

  @Test func `the queue adds delay up to its bound, in order`() {
    let model = Self.model(kilobits: 64, queueMilliseconds: 200)
    let stream = PacketStream(model, count: 4000, everyMilliseconds: 10, packetBytes: 160)
    #expect(stream.arrivals == stream.arrivals.sorted())
    // 20 ms for a packet's own transmission come on top of the wait.
    #expect(stream.delays.quantile(1) <= 220)
    #expect(stream.delays.quantile(0.5) > 195)
    #expect(stream.delays[0] == 20)
  }

  @Test func `below the cap a packet takes its transmission time and nothing is dropped`() {
    let model = Self.model(kilobits: 64, queueMilliseconds: 0)
    let stream = PacketStream(model, count: 1000, everyMilliseconds: 20.5, packetBytes: 160)
    #expect(stream.delays.allSatisfy { abs($0 - 20) < 1e-6 })
    #expect(stream.counters.dropped == 0)
  }

  @Test func `a virtual link counts headers too`() {
    var link = VirtualLink(model: Self.model(kilobits: 64, queueMilliseconds: 200), seed: 1)
    link.send([UInt8](repeating: 0, count: 132), atNanoseconds: 0)
    #expect(link.receive(byNanoseconds: .max)?.arrivalNanoseconds == 20_000_000)
  }
}
