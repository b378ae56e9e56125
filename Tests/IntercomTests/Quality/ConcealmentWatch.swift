import EventLoop
import RTP
import TestKit

@testable import Intercom
@testable import Media

/// Tells apart what a listener has to make up because a radio was silent, and what it makes up anyway.
///
/// Asked after each millisecond: what was made up since is sound of the packets that play moved past meanwhile and that
/// had not come themselves. If all of them were sent in a drought, or held by one, it is the drought's.
struct ConcealmentWatch {
  private let source: SocketAddress
  private let listener: VirtualNode
  private var concealedFrames = 0
  private var nextFrame: Int64 = 0
  private var readCount = 0
  /// By media time.
  private var journeys: [Int64: VirtualLink.Journey] = [:]

  /// Frames made up of packets that no drought held.
  private(set) var framesOutsideDroughts = 0

  /// Watches a listener that hears what comes from an address, from now on.
  init(_ listener: VirtualNode, hearing source: SocketAddress, over network: VirtualNetwork) {
    self.listener = listener
    self.source = source
    look(network)
    framesOutsideDroughts = 0
  }

  /// Looks what was made up since the last look.
  mutating func look(_ network: VirtualNetwork) {
    guard let stream = listener.peer(at: source)?.stream else { return }
    read(network, stream)
    let made = stream.counts.concealedFrames - concealedFrames
    let passed = min(nextFrame, stream.nextFrame)..<max(nextFrame, stream.nextFrame)
    (concealedFrames, nextFrame) = (stream.counts.concealedFrames, stream.nextFrame)
    guard made > 0 else { return }
    let span = Int64(stream.lastDurationFrames)
    let touched = journeys.filter {
      $0.key < passed.upperBound && $0.key + span > passed.lowerBound
    }
    let missing = touched.values.filter { $0.arrivalNanoseconds.map { $0 > network.now } ?? true }
    let concerned = missing.isEmpty ? Array(touched.values) : missing
    if !concerned.allSatisfy(\.isInDrought) { framesOutsideDroughts += made }
  }

  /// Takes note of the packets sent since the last look, and forgets those of long ago.
  private mutating func read(_ network: VirtualNetwork, _ stream: PeerStream) {
    let fates = network.journeys(from: source, to: listener.addresses[0])
    guard fates.count > readCount, let timeline = stream.timeline else { return }
    let sent = network.traffic.lazy.reversed().filter { [source, listener] in
      $0.source == source && $0.destination == listener.addresses[0]
    }
    for (datagram, fate) in zip(sent, fates[readCount...].reversed()) {
      var places = timeline
      guard let packet = try? RTPPacket(parsing: unsafe datagram.bytes.span.bytes),
        packet.header.ssrc == timeline.ssrc,
        let place = places.place(of: packet.header, arrivalNanoseconds: fate.sentNanoseconds)
      else { continue }
      journeys[place.frame] = fate
    }
    readCount = fates.count
    journeys = journeys.filter { $0.key > stream.nextFrame - 48_000 }
  }
}
