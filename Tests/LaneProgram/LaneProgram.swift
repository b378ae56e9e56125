import ControlPlane
import Glibc
import Mesh
import Synchronization

/// Moves a file between two nodes on the application lane, beside voices, and tells what became of all of them.
///
/// comlink-lane OWN OTHER send|receive KIB SECONDS: addresses of IPv4, the file's length, and for how many seconds the
/// voices are alone before it. Control connections are at port 5004, voices at 6000. Prints a line of figures for the
/// voices alone, one for those beside the file, and one for the file; the receiver ends when the sender leaves.
@main
enum LaneProgram {
  private static let partBytes = 32 * 1024
  private static let voices = 8
  private static let (controlPort, voicePort): (UInt16, UInt16) = (5004, 6000)

  private struct Arguments {
    let own: UInt32
    let other: UInt32
    let sends: Bool
    let parts: UInt64
    let aloneSeconds: Int

    init?(_ words: [String]) {
      guard words.count == 5, let own = LaneProgram.host(words[0]),
        let other = LaneProgram.host(words[1]), let kib = Int(words[3]), kib > 0,
        let seconds = Int(words[4])
      else { return nil }
      (self.own, self.other) = (own, other)
      sends = words[2] == "send"
      parts = UInt64((kib * 1024 + LaneProgram.partBytes - 1) / LaneProgram.partBytes)
      aloneSeconds = seconds
    }
  }

  private static func host(_ text: String) -> UInt32? {
    let octets = text.split(separator: ".").compactMap { UInt32($0) }
    guard octets.count == 4, octets.allSatisfy({ $0 < 256 }) else { return nil }
    return octets.reduce(0) { $0 << 8 | $1 }
  }

  static func main() async throws {
    guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())) else {
      print(
        "usage: comlink-lane OWN OTHER send|receive KIB SECONDS, such as 10.77.0.1 10.77.0.2 send 1024 5"
      )
      exit(EX_USAGE)
    }
    let node = try await LaneNode(
      arguments.sends ? "sender" : "receiver",
      at: NodeAddress(.ipv4(arguments.own), port: controlPort))
    let voices = try Voices(
      voices, from: arguments.own, to: arguments.other, port: voicePort)
    let coming = Coming(arguments.parts)
    node.lane?.open(.files) { await coming.take($0) }
    if arguments.sends { node.call(NodeAddress(.ipv4(arguments.other), port: controlPort)) }
    _ = try await node.member()
    try await Task.sleep(for: .seconds(1))
    _ = voices.cut()
    try await Task.sleep(for: .seconds(arguments.aloneSeconds))
    tell("alone", voices.cut())
    let start = LaneNode.nowNanoseconds
    if arguments.sends { try await send(arguments.parts, from: node) } else { await coming.whole() }
    tell("beside", voices.cut())
    let record = node.record
    say(
      "file parts \(arguments.parts) right \(coming.isRight)",
      "seconds \(Double((LaneNode.nowNanoseconds - start) / 1_000_000) / 1000)",
      "heartbeats \(record.heartbeats) gap \(record.longestGapNanoseconds / 1_000_000)",
      "departures \(record.departures) connections \(record.connections)",
      "faults \(record.faults)")
    // The other end may wait for an acknowledgement yet.
    while !arguments.sends, node.record.member != nil {
      try await Task.sleep(for: .milliseconds(50))
    }
    await node.leave()
  }

  /// Writes a line at once, whatever it is written to.
  private static func say(_ words: String...) {
    var line = words.joined(separator: " ") + "\n"
    line.withUTF8 { unsafe _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  private static func tell(_ when: String, _ fates: Voices.Fates) {
    say(
      "voices \(when) received \(fates.received) lost \(fates.lossPercent)",
      "ms \(fates.milliseconds(below: 0.5)) \(fates.milliseconds(below: 0.99))",
      "\(fates.milliseconds(below: 0.999))")
  }

  /// A part of the file, another for each number.
  fileprivate static func part(_ number: UInt64) -> [UInt8] {
    (0..<UInt64(partBytes)).map {
      UInt8(truncatingIfNeeded: ($0 &+ 1) &* (number &* 2 &+ 1) &* 0x9E37_79B9 >> 13)
    }
  }

  /// Sends all, and makes a new connection at each quarter.
  private static func send(_ count: UInt64, from node: LaneNode) async throws {
    let other = try await node.member()
    guard let lane = node.lane else { return }
    let quarter = max(1, count / 4)
    for number in 0..<count {
      if number % quarter == 0, (1...3).contains(number / quarter) { node.reconnect() }
      if number == count - 1 {
        try await lane.deliver(part(number), on: .files, to: other, sequence: number)
      } else {
        try await lane.send(part(number), on: .files, to: other, sequence: number)
      }
    }
  }
}

/// The file that comes.
private final class Coming: Sendable {
  private struct State {
    var next: UInt64 = 0
    var isRight = true
  }

  private let count: UInt64
  private let state = Mutex(State())

  init(_ count: UInt64) { self.count = count }

  /// Whether all that came was in order and as it was sent.
  var isRight: Bool { state.withLock { $0.isRight } }

  func take(_ message: LaneMessage) async {
    state.withLock { state in
      let isNext =
        message.key.sequence == state.next && message.octets == LaneProgram.part(state.next)
      state.isRight = state.isRight && isNext
      state.next += 1
    }
  }

  /// Waits until all is there.
  func whole() async {
    while state.withLock({ $0.next }) < count { try? await Task.sleep(for: .milliseconds(50)) }
  }
}
