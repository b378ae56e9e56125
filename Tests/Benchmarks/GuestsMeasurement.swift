import Audio
import Foundation
import Remote
import StatusSchema
import TestRig

/// CPU of a node whose page has guests, TLS included: alone, then with ever more guests of whom two talk, then all.
struct GuestsMeasurement {
  private static let mostCPUPercent = 60.0
  private static let talkers = 2

  let bench: Bench
  let guests: Int
  let seconds: Double

  func run() throws {
    let ports = try LoopbackPorts.free(3)
    var options = NodeProcess.Options(port: ports[0])
    options.arguments = [
      "--page", "127.0.0.1:\(ports[1])", "--page-trust", "127.0.0.1:\(ports[2])",
    ]
    let station = try Station(
      "S", periodFrames: bench.options.period, options: options, recordSeconds: 1,
      in: bench.directory)
    let node = station.node
    let frame = try Self.tone()
    var phones: [GuestPhone] = []
    bench.figures.add("guests.0.cpu", try cpu(of: node, "nobody"), "%")
    for count in [guests / 4, guests / 2, guests] {
      while phones.count < count {
        phones.append(
          try GuestPhone(
            port: ports[1], token: try Self.token(of: node), number: phones.count, says: frame))
      }
      try waitUntil("\(count) are guests", within: 20) { () throws(RigError) in
        try node.status().guests?.count == count
      }
      for (index, phone) in phones.enumerated() { phone.talk(index < Self.talkers) }
      pause(seconds: 2)
      bench.figures.add("guests.\(count).twoTalk", try cpu(of: node, "\(count), two talk"), "%")
      for phone in phones { phone.talk(true) }
      pause(seconds: 2)
      let before = phones.map(\.heard)
      let cost = try cpu(of: node, "\(count), all talk")
      tell(zip(phones, before).map { Double($0.heard - $1) / seconds }, count)
      let name = "guests.\(count).allTalk"
      if count == 16 {
        bench.judge(name, cost, "%", atMost: Self.mostCPUPercent)
      } else {
        bench.figures.add(name, cost, "%")
      }
    }
    for phone in phones { phone.close() }
    station.stop()
  }

  /// Frames a second that each guest got, first copies alone: of 100.
  private func tell(_ frames: [Double], _ count: Int) {
    let least = frames.min() ?? 0
    bench.figures.add("guests.\(count).framesLeast", least, "1/s")
    bench.doubts.check("a guest got \(Figures.fixed(least, 1)) frames a second", least < 95)
  }

  private static func token(of node: NodeProcess) throws -> String {
    guard case .pageInvitation(let one) = try node.ask(.pageInvite(rights: .talk, name: nil))
    else { throw RigError.status(reason: "no invitation") }
    return one.token
  }

  private func cpu(of node: NodeProcess, _ what: String) throws(RigError) -> Double {
    let process = node.process.identifier
    let before = ProcessUsage(of: process)
    bench.wait(what, seconds: seconds)
    guard let before, let after = ProcessUsage(of: process) else {
      throw .status(reason: "no CPU figures of the node")
    }
    func all(_ usage: ProcessUsage) -> Double { usage.threads.reduce(0) { $0 + $1.cpuSeconds } }
    return 100 * (all(after) - all(before)) / (Double(after.nanoseconds - before.nanoseconds) / 1e9)
  }

  /// 10 ms of a tone as a browser codes it.
  static func tone() throws -> [UInt8] {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 48_000)
    let pcm = (0..<480).map { 0.1 * sin(2 * .pi * 500 * Float($0) / 48_000) }
    var packet = [UInt8](repeating: 0, count: 400)
    var span = packet.mutableSpan
    var bytes = unsafe span.mutableBytes
    let count = encoder.encode(pcm.span, into: &bytes)
    return Array(packet.prefix(count))
  }
}
