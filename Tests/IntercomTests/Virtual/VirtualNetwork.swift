import EventLoop
import TestKit

/// Hosts, the links between their addresses and the time they share.
///
/// A datagram leaves by the address that its sender has in the destination's network, as the kernel would choose it.
final class VirtualNetwork {
  static let second: Int64 = 1_000_000_000

  private struct Route: Hashable {
    var source: SocketAddress
    var destination: SocketAddress
  }

  private(set) var clock = VirtualClock(nowNanoseconds: 1000 * VirtualNetwork.second)
  /// All that was sent, by anyone, whether it arrived or not.
  private(set) var traffic: [Datagram] = []
  /// What all links do to what is sent from now on.
  var model: LinkModel { didSet { for route in links.keys { links[route]?.model = model } } }
  private let seed: UInt64
  private var hosts: [any VirtualHost] = []
  private var links: [Route: VirtualLink] = [:]
  private var lostAddresses: Set<SocketAddress> = []

  /// A network whose links are all alike; what they do is drawn from the seed.
  init(model: LinkModel = LinkModel(), seed: UInt64 = 1) {
    self.model = model
    self.seed = seed
  }

  var now: Int64 { clock.nowNanoseconds }

  /// Plugs a host in.
  func add(_ host: any VirtualHost) { hosts.append(host) }

  /// Pulls a host's plug: it neither runs nor hears any more.
  func remove(_ host: any VirtualHost) { hosts.removeAll { $0 === host } }

  /// Loses what goes to or from an address from now on.
  func cut(_ address: SocketAddress) { lostAddresses.insert(address) }

  /// Lets it through again.
  func mend(_ address: SocketAddress) { lostAddresses.remove(address) }

  /// How all datagrams fared that were sent from one address to another, in the order of `traffic`.
  func journeys(from source: SocketAddress, to destination: SocketAddress) -> [VirtualLink.Journey]
  {
    links[Route(source: source, destination: destination)]?.journeys ?? []
  }

  /// Lets time pass.
  func run(seconds: Double) {
    let end = now + Int64(seconds * Double(Self.second))
    while let next = hosts.map(\.nextNanoseconds).min(), next <= end {
      clock.advance(to: next)
      step()
    }
    clock.advance(to: end)
  }

  /// Lets time pass until something holds.
  ///
  /// - Returns: whether it came to hold within the limit.
  func run(until condition: () -> Bool, limitSeconds: Double = 10) -> Bool {
    for _ in 0..<Int(limitSeconds * 1000) {
      if condition() { return true }
      run(seconds: 0.001)
    }
    return condition()
  }

  private func step() {
    for host in hosts where host.nextNanoseconds <= now {
      let arrivals = takeArrivals(at: host)
      for datagram in host.run(nowNanoseconds: now, arrivals: arrivals) {
        send(datagram, from: host)
      }
    }
  }

  private func send(_ datagram: Datagram, from host: any VirtualHost) {
    let wanted = datagram.destination
    let isLocal = host.addresses.contains(wanted)
    guard
      let source = isLocal ? wanted : host.addresses.first(where: wanted.sharesNetwork(with:))
    else { return }
    var sent = datagram
    sent.source = source
    sent.arrivalNanoseconds = now
    traffic.append(sent)
    guard lostAddresses.isDisjoint(with: [source, wanted]) else { return }
    let route = Route(source: source, destination: wanted)
    let new = VirtualLink(model: model, seed: seed << 16 + UInt64(links.count))
    links[route, default: new].send(sent.bytes, atNanoseconds: now)
  }

  private func takeArrivals(at host: any VirtualHost) -> [Datagram] {
    var arrivals: [Datagram] = []
    for route in links.keys where host.addresses.contains(route.destination) {
      while let delivery = links[route]?.receive(byNanoseconds: now) {
        arrivals.append(
          Datagram(
            source: route.source, destination: route.destination, bytes: delivery.bytes,
            arrivalNanoseconds: delivery.arrivalNanoseconds))
      }
    }
    // Dictionaries have no order of their own; ties go by address so that each run is the same.
    return arrivals.sorted {
      ($0.arrivalNanoseconds, $0.source.description) < (
        $1.arrivalNanoseconds, $1.source.description
      )
    }
  }
}

extension VirtualNetwork {
  /// RTP packets sent to an address since a moment.
  func media(to address: SocketAddress, since start: Int64 = 0) -> [Datagram] {
    traffic.filter {
      !$0.isReport && $0.destination == address && $0.arrivalNanoseconds >= start
    }
  }

  /// RTCP compounds sent to an address since a moment.
  func reports(to address: SocketAddress, since start: Int64 = 0) -> [Datagram] {
    traffic.filter { $0.isReport && $0.destination == address && $0.arrivalNanoseconds >= start }
  }
}

/// Bytes on their way from one address to another.
struct Datagram {
  var source: SocketAddress
  var destination: SocketAddress
  var bytes: [UInt8]
  var arrivalNanoseconds: Int64 = 0

  /// RTCP shares the port with RTP; its packet types are 192 … 223 (RFC 5761 §4).
  var isReport: Bool { bytes.count > 1 && (192...223).contains(bytes[1]) }
}
