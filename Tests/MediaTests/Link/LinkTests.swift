import TestKit
import Testing

/// The tools that the other tests trust.
@Suite struct LinkTests {
  private static func arrivals(_ model: LinkModel, seed: UInt64 = 1) -> [(Int64, UInt8)] {
    var link = VirtualLink(model: model, seed: seed)
    var result: [(Int64, UInt8)] = []
    for index in 0..<2000 {
      link.send([UInt8(index % 251)], atNanoseconds: Int64(index) * 1_000_000)
    }
    while let delivery = link.receive(byNanoseconds: .max) {
      result.append((delivery.arrivalNanoseconds, delivery.bytes[0]))
    }
    return result
  }

  @Test func `datagrams come out in the order of their arrival`() {
    var model = LinkModel()
    model.jitter = .uniform(nanoseconds: 20_000_000)
    let arrivals = Self.arrivals(model).map(\.0)
    #expect(arrivals == arrivals.sorted())
    #expect(arrivals.count == 2000)
  }

  @Test func `a link that keeps order keeps it`() {
    var model = LinkModel()
    model.jitter = .gaussian(nanoseconds: 20_000_000)
    model.keepsOrder = true
    #expect(Self.arrivals(model).map(\.1) == (0..<2000).map { UInt8($0 % 251) })
  }

  @Test func `a link knows what its droughts held`() {
    var radio = WiFi()
    (radio.medianNanoseconds, radio.p99Nanoseconds) = (1_000_000, 2_000_000)
    var model = LinkModel()
    model.jitter = .wifi(radio)
    model.loss = 0.5
    var link = VirtualLink(model: model, seed: 1)
    for index in 0..<6000 { link.send([], atNanoseconds: Int64(index) * 10_000_000) }
    // 60 ms each 5 s.
    let held = link.journeys.filter(\.isInDrought)
    #expect(link.journeys.count == 6000 && (30...150).contains(held.count), "\(held.count)")
    #expect(held.contains { $0.arrivalNanoseconds == nil })
    for journey in link.journeys where !journey.isInDrought {
      guard let arrival = journey.arrivalNanoseconds else { continue }
      #expect(arrival - journey.sentNanoseconds < 20_000_000)
    }
  }

  @Test func `loss and duplication are as often as asked`() {
    var model = LinkModel()
    model.loss = 0.2
    #expect(abs(Self.arrivals(model).count - 1600) < 80)
    model.loss = 0
    model.bursts = .init(begin: 0.05, end: 0.25)
    #expect(abs(Self.arrivals(model).count - 1667) < 150)
    model.bursts = nil
    model.duplication = 0.1
    #expect(abs(Self.arrivals(model).count - 2200) < 60)
  }

  @Test func `the seed decides everything`() {
    var model = LinkModel()
    model.jitter = .gaussian(nanoseconds: 5_000_000)
    model.loss = 0.1
    #expect(Self.arrivals(model, seed: 7).map(\.0) == Self.arrivals(model, seed: 7).map(\.0))
    #expect(Self.arrivals(model, seed: 7).map(\.0) != Self.arrivals(model, seed: 8).map(\.0))
  }

  @Test func `what is held comes out together`() {
    var link = VirtualLink(model: LinkModel(), seed: 1)
    link.hold(untilNanoseconds: 50_000_000)
    for index in 0..<10 { link.send([1], atNanoseconds: Int64(index) * 1_000_000) }
    #expect(link.receive(byNanoseconds: 49_999_999) == nil)
    #expect(link.underWayCount == 10)
    var count = 0
    while link.receive(byNanoseconds: 50_000_000) != nil { count += 1 }
    #expect(count == 10)
  }
}
