@testable import TestRig

/// Numbered datagrams from one node to another at a steady pace, and what arrived of them.
struct NumberedTraffic {
  private(set) var sentNanoseconds: [Int64] = []
  /// Delays of first arrivals in milliseconds, as far as they were looked for: each interval.
  private(set) var delays: [Double] = []
  private(set) var copies = 0
  /// First arrivals after those of later numbers.
  private(set) var overtaken = 0
  private var newest = -1
  private var arrived: Set<Int> = []

  var lossPercent: Double {
    100 * (1 - Double(arrived.count) / Double(sentNanoseconds.count))
  }

  /// Sends after something has come through, so that addresses are resolved; waits for stragglers.
  ///
  /// - Throws: `RigError.timeout` when nothing comes through.
  init(
    count: Int, everyMilliseconds interval: Double = 2, from sender: borrowing NodeSocket,
    to receiver: borrowing NodeSocket, at address: String
  ) throws(RigError) {
    try Self.knock(from: sender, to: receiver, at: address)
    var next = monotonicNanoseconds()
    for number in 0..<count {
      sentNanoseconds.append(monotonicNanoseconds())
      sender.send([UInt8(number >> 8), UInt8(number & 0xff)], to: address)
      next += Int64(interval * 1e6)
      pause(seconds: max(0, Double(next - monotonicNanoseconds()) / 1e9))
      collect(from: receiver)
    }
    pause(seconds: 0.5)
    collect(from: receiver)
  }

  private mutating func collect(from receiver: borrowing NodeSocket) {
    while let datagram = receiver.receive() {
      guard datagram.count == 2 else { continue }
      let number = Int(datagram[0]) << 8 | Int(datagram[1])
      if arrived.insert(number).inserted {
        if number < newest { overtaken += 1 }
        newest = max(newest, number)
        delays.append(Double(monotonicNanoseconds() - sentNanoseconds[number]) / 1e6)
      } else {
        copies += 1
      }
    }
  }

  private static func knock(
    from sender: borrowing NodeSocket, to receiver: borrowing NodeSocket, at address: String
  ) throws(RigError) {
    let end = monotonicNanoseconds() + 20_000_000_000
    while receiver.receive() == nil {
      guard monotonicNanoseconds() < end else {
        throw .timeout(waitingFor: "a datagram to \(address)", seconds: 20, detail: "none came")
      }
      sender.send([0], to: address)
      pause(seconds: 0.05)
    }
    pause(seconds: 0.5)
    while receiver.receive() != nil {}
  }
}
