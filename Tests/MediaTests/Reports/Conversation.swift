import Media
import RTP
import TestKit

/// Two nodes that exchange RTCP, and RTP every 10 ms where they talk, in virtual time over a link
/// with delay and seeded loss.
///
/// Their clocks differ by days.
final class Conversation {
  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000

  struct End {
    var reports: PeerReports
    var clockOffset: Int64
    var isTalking = false
    var isAlive = true
    var sentPackets = 0
    var lostPackets = 0
    var firstSentPackets: Int?
    var nextPacket: Int64 = 0
    var events: [(nanoseconds: Int64, events: ReportEvents)] = []
    var sentReports: [Int64] = []
    var refused = 0

    func first(_ event: ReportEvents) -> Int64? {
      events.first { $0.events.contains(event) }?.nanoseconds
    }
  }

  private enum Cargo {
    case report(ReportOctets)
    case packet(RTPHeader)
  }

  var ends: [End]
  var oneWayDelay: [Int64]
  var reportLoss = 0.0
  var packetLoss = 0.0
  private(set) var now: Int64 = 0
  private var inFlight: [(arrival: Int64, to: Int, cargo: Cargo)] = []
  private var random: SplitMix64

  init(delay: Int64, seed: UInt64) {
    oneWayDelay = [delay, delay]
    random = SplitMix64(seed: seed)
    ends = [
      End(reports: Self.reports(ssrc: 1, name: "Anna", seed: seed &+ 1), clockOffset: Self.second),
      End(
        reports: Self.reports(ssrc: 2, name: "Bert", seed: seed &+ 2),
        clockOffset: 900_000 * Self.second),
    ]
  }

  static func reports(ssrc: UInt32, name: String, seed: UInt64) -> PeerReports {
    PeerReports(
      ssrc: SSRC(rawValue: ssrc), canonicalName: "\(name)@test", name: name, seed: seed)
  }

  /// Lets something arrive at an end as if from the other's address.
  func inject(_ datagram: ReportOctets, to end: Int) {
    inFlight.append((now, end, .report(datagram)))
  }

  func run(until end: Int64) {
    while now < end {
      deliver()
      for index in ends.indices where ends[index].isAlive { act(index) }
      now += Self.millisecond / 4
    }
  }

  private func deliver() {
    let due = inFlight.filter { $0.arrival <= now }
    inFlight.removeAll { $0.arrival <= now }
    for (_, to, cargo) in due where ends[to].isAlive {
      let local = now + ends[to].clockOffset
      switch cargo {
      case .report(let datagram):
        do {
          let events = try ends[to].reports.handle(datagram, at: local)
          ends[to].events.append((now, events))
        } catch {
          ends[to].refused += 1
        }
      case .packet(let header):
        _ = ends[to].reports.receive(header, arrivalNanoseconds: local)
      }
    }
  }

  private func act(_ index: Int) {
    let local = now + ends[index].clockOffset
    if ends[index].isTalking && ends[index].reports.isConfirmed && ends[index].nextPacket <= now {
      ends[index].nextPacket = now + 10 * Self.millisecond
      sendPacket(from: index)
    }
    guard ends[index].reports.nextReportNanoseconds <= local else { return }
    ends[index].sentReports.append(now)
    let datagram = ends[index].reports.report(
      at: local, packets: ends[index].sentPackets,
      timestamp: UInt32(ends[index].sentPackets * 480))
    if Double.random(in: 0..<1, using: &random) < reportLoss { return }
    inFlight.append((now + oneWayDelay[index], 1 - index, .report(datagram)))
  }

  private func sendPacket(from index: Int) {
    let count = ends[index].sentPackets
    ends[index].sentPackets += 1
    // The two packets that end the probation always come through, so that losses can be counted.
    if count > 2 && Double.random(in: 0..<1, using: &random) < packetLoss {
      ends[index].lostPackets += 1
      return
    }
    let header = RTPHeader(
      marker: false, payloadType: 111,
      sequenceNumber: SequenceNumber(rawValue: 65_400).advanced(by: count),
      timestamp: RTPTimestamp(rawValue: UInt32(count * 480)), ssrc: ends[index].reports.ssrc)
    inFlight.append((now + oneWayDelay[index], 1 - index, .packet(header)))
  }
}
