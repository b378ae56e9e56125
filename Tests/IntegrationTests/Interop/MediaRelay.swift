import Foundation
import Media
import RTP
import Synchronization

@testable import TestRig

/// A peer without ears: it makes contact by RTCP as every peer must, and passes the sound it is sent
/// on to the port of a program that knows RTP but nothing of nodes.
final class MediaRelay: Sendable {
  private struct State {
    var isStopped = false
    var forwarded = 0
  }

  private let state = Mutex(State())
  private let hasEnded = DispatchSemaphore(value: 0)
  private let nodePort: Int
  private let receiverPort: Int

  /// Starts to talk to the node on 127.0.0.1.
  ///
  /// - Throws: `RigError.launch`.
  init(from nodePort: Int, to receiverPort: Int) throws(RigError) {
    self.nodePort = nodePort
    self.receiverPort = receiverPort
    let thread = Thread { [self] in
      if let socket = try? LoopbackSocket() { run(socket) }
      hasEnded.signal()
    }
    thread.start()
  }

  /// Packets of sound passed on so far.
  var forwarded: Int { state.withLock { $0.forwarded } }

  /// Says goodbye to the node and ends.
  func stop() {
    state.withLock { $0.isStopped = true }
    hasEnded.wait()
    hasEnded.signal()
  }

  private func run(_ socket: borrowing LoopbackSocket) {
    let reports = PeerReports(
      ssrc: SSRC(rawValue: .random(in: 1 ... .max)), canonicalName: "relay-\(socket.port)",
      name: "relay", seed: .random(in: .min ... .max))
    var bytes = [UInt8](repeating: 0, count: 1500)
    while !state.withLock({ $0.isStopped }) {
      sendReportIfDue(reports, socket)
      let count = socket.receive(into: &bytes)
      if count > 0 { take(bytes[..<count], reports, socket) }
    }
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let count = reports.makeBye(into: &raw)
    socket.send(bytes[..<count], to: nodePort)
  }

  private func sendReportIfDue(_ reports: PeerReports, _ socket: borrowing LoopbackSocket) {
    let now = monotonicNanoseconds()
    guard now >= reports.nextReportNanoseconds else { return }
    let silent = SenderCounters(
      packets: 0, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: 0))
    var bytes = [UInt8](repeating: 0, count: 1500)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let count = reports.makeReport(sender: silent, nowNanoseconds: now, into: &raw)
    socket.send(bytes[..<count], to: nodePort)
  }

  private func take(
    _ datagram: ArraySlice<UInt8>, _ reports: PeerReports, _ socket: borrowing LoopbackSocket
  ) {
    let now = monotonicNanoseconds()
    let bytes = unsafe datagram.span.bytes
    switch DatagramKind.classify(bytes) {
    case .rtcp:
      _ = try? reports.handle(bytes, nowNanoseconds: now)
    case .rtp:
      guard let packet = try? RTPPacket(parsing: bytes) else { return }
      _ = reports.receive(packet.header, arrivalNanoseconds: now)
      socket.send(datagram, to: receiverPort)
      state.withLock { $0.forwarded += 1 }
    case .unknown: break
    }
  }
}
