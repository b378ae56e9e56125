import CLink
import Glibc
import TestKit

/// Takes frames from ports, lets them wait or vanish, sends them out of others.
///
/// One thread, which waits for frames, signals and the next departure.
final class Emulator {
  /// Below JACK servers, which the tests run at 70, as their clients' callbacks.
  static let priority: Int32 = 65
  /// A port that floods does not keep the others waiting.
  private static let framesPerTurn = 64

  private struct Departure {
    let frame: [UInt8]
    let port: Int
  }

  /// What happened to frames on their way to each port.
  var counters: [LinkCounters] { impairments.map(\.counters) }
  /// How late frames left.
  private(set) var lateness = LatencyHistogram()
  /// When nothing got through to each port, nanoseconds of CLOCK_MONOTONIC; one to come may be among them.
  private(set) var droughts: [[Range<Int64>]]
  /// Frames that a node's device did not take.
  private(set) var unsent = 0

  private let ports: [Port]
  private let orders: OrderPipe?
  private var impairments: [Impairment]
  private var switchboard: Switchboard
  private var underWay = DepartureQueue<Departure>()
  private let startNanoseconds = monotonicNanoseconds()
  private var newestStamp: Int64 = 0

  init(ports: [Port], scenario: LinkScenario, seed: UInt64, orders: OrderPipe? = nil) {
    self.ports = ports
    self.orders = orders
    var seeds = SplitMix64(seed: seed)
    impairments = ports.map { _ in Impairment(scenario: scenario, seed: seeds.next()) }
    droughts = ports.map { _ in [] }
    switchboard = Switchboard(portCount: ports.count)
  }

  /// Frames that the kernel dropped because we were too slow, since the last call.
  func takeDrops() -> Int { ports.reduce(0) { $0 + $1.takeDrops() } }

  /// Forwards frames until some seconds are over, if given, or a signal's handler says so.
  ///
  /// - Parameters:
  ///   - signals: a descriptor that is readable when a signal has come.
  ///   - takeSignals: called then; true ends the run.
  func run(seconds: Double?, signals: Int32, takeSignals: () -> Bool) {
    let end = seconds.map { Int64($0 * 1e9) } ?? .max
    // No descriptor, and poll(2) passes it over.
    var polls = ([signals, orders?.descriptor ?? -1] + ports.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while now < end {
      wait(&polls, until: min(end, underWay.nextNanoseconds ?? .max))
      if polls[0].revents != 0, takeSignals() { return }
      if polls[1].revents != 0 { takeOrders() }
      for port in ports.indices where polls[port + 2].revents != 0 { receive(from: port) }
      sendDue()
    }
  }

  /// Nanoseconds since the beginning.
  private var now: Int64 { monotonicNanoseconds() - startNanoseconds }

  private func wait(_ polls: inout [pollfd], until moment: Int64) {
    let rest = max(0, min(moment - now, 3_600_000_000_000))
    if unsafe link_wait(&polls, UInt32(polls.count), rest) < 0 {
      for index in polls.indices { polls[index].revents = 0 }
    }
  }

  private func takeOrders() {
    for order in orders?.take() ?? [] {
      switch order {
      case .split(let parts): switchboard.split(into: parts)
      case .join: switchboard.split(into: Array(repeating: 0, count: ports.count))
      }
    }
  }

  private func receive(from port: Int) {
    for _ in 0..<Self.framesPerTurn {
      guard let (frame, stamp) = ports[port].receive() else { return }
      // The clock of stamps first: where we are held up between the two, a frame is late, never early.
      let realtime = realtimeNanoseconds()
      let moment = now
      // A frame is taken within a second of its stamp, unless somebody set the clock meanwhile.
      let age = stamp == 0 ? 0 : max(0, min(realtime - stamp, 1_000_000_000))
      newestStamp = max(newestStamp, moment - age)
      for destination in switchboard.destinations(of: frame, from: port) {
        forward(frame, to: destination)
      }
    }
  }

  private func forward(_ frame: [UInt8], to port: Int) {
    let fate = impairments[port].fate(
      packetBytes: frame.count - Switchboard.headerBytes, atNanoseconds: newestStamp)
    noteDrought(of: port)
    guard case .arrives(let moment, let copyMoment) = fate else { return }
    let departure = Departure(frame: frame, port: port)
    underWay.push(departure, atNanoseconds: moment)
    if let copyMoment { underWay.push(departure, atNanoseconds: copyMoment) }
  }

  private func noteDrought(of port: Int) {
    guard let drought = impairments[port].drought else { return }
    let absolute = drought.lowerBound + startNanoseconds..<drought.upperBound + startNanoseconds
    if droughts[port].last != absolute { droughts[port].append(absolute) }
  }

  private func sendDue() {
    while let (departure, wanted) = underWay.pop(byNanoseconds: now) {
      if !ports[departure.port].send(departure.frame) { unsent += 1 }
      lateness.add(nanoseconds: now - wanted)
    }
  }
}
