import Cryptography
import Glibc
import StatusSchema
import TestRig

/// What encryption costs a node with eight talkers: the share of its CPU that its packets take to be sealed and opened.
///
/// How long a packet takes is measured in this process, by itself and with warm caches, so it is the least that it
/// costs there. What control connections take is in the node's CPU, not in the share.
struct MeshCost {
  private static let talkers = 8
  private static let seconds = 20.0

  let bench: Bench
  let rounds: Int

  func run() throws(RigError) {
    Console.line("\nCPU of a node with \(Self.talkers) talkers, and what encryption takes of it:")
    let packet = try SealedPackets.cost()
    bench.figures.add("mesh.cost.seal", packet.sealNanoseconds, "ns")
    bench.figures.add("mesh.cost.open", packet.openNanoseconds, "ns")
    var (nodes, ratios) = ([Double](), [Double]())
    for _ in 0..<rounds {
      let (node, encryption) = try percents(packet)
      nodes.append(node)
      ratios.append(node / (node - encryption))
    }
    bench.figures.add("mesh.cost.node", Distribution(nodes).mean, "%")
    let ratio = Distribution(ratios)
    bench.judge("mesh.cost.ratio", ratio.mean, "times", atMost: 1.1)
    bench.figures.add("mesh.cost.ratio.worst", ratio.values.last ?? .nan, "times")
  }

  /// Of one processor, in percent: all that the node takes, and what its packets' encryption does.
  private func percents(
    _ packet: SealedPackets
  ) throws(RigError) -> (node: Double, encryption: Double) {
    let receivers = try JackServer(
      "comlink-cost", periodFrames: bench.options.givenPeriod ?? 256, in: bench.directory)
    defer { receivers.stop() }
    let mouth = try Probe(
      server: receivers.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 1)
    defer { mouth.stop() }
    try mouth.setSource(try Speech.sentences(), loops: true)
    try mouth.start()
    let directory = try TemporaryDirectory(prefix: "comlink-cost")
    let port = try LoopbackPorts.free(1)[0]
    let receiver = try NodeProcess(
      "R", on: receivers, options: NodeProcess.Options(port: port), in: directory)
    defer { receiver.process.terminate() }
    let talkers = try TalkerGroup(
      to: receiver, at: port, maximum: Self.talkers, in: directory)
    defer { talkers.stop() }
    try talkers.grow(to: Self.talkers)
    try receiver.waitUntilConnected(peers: Self.talkers, within: 30)
    try mouth.waitForPort(receiver.port("mic"), within: 10)
    try mouth.connect("mouth:out_0", to: receiver.port("mic"))
    // Handshakes and what settles are no running cost.
    pause(seconds: 8)
    let before = try look(at: receiver)
    pause(seconds: Self.seconds)
    let after = try look(at: receiver)
    let opened = after.network.packetsReceived - before.network.packetsReceived
    // Sealed once, sent to all.
    let sealed = (after.network.packetsSent - before.network.packetsSent) / Self.talkers
    let nanoseconds =
      Double(opened) * packet.openNanoseconds + Double(sealed) * packet.sealNanoseconds
    let elapsed = Double(after.usage.nanoseconds - before.usage.nanoseconds)
    return (after.usage.cpuPercent(since: before.usage), 100 * nanoseconds / elapsed)
  }

  private func look(
    at node: NodeProcess
  ) throws(RigError) -> (network: NetworkStatus, usage: ProcessUsage) {
    guard let usage = ProcessUsage(of: node.process.identifier) else {
      throw .status(reason: "no CPU figures of \(node.name)")
    }
    return (try node.status().network, usage)
  }
}

/// What one packet of speech takes to be sealed and to be opened.
private struct SealedPackets {
  let sealNanoseconds: Double
  let openNanoseconds: Double

  /// Header with audio level, and 10 ms at 64 kbit/s.
  private static let plainBytes = 20 + 80
  private static let batch = 10_000
  private static let batches = 20

  /// The least mean of some batches: what else the machine did is left out.
  static func cost() throws(RigError) -> SealedPackets {
    do throws(CryptoError) {
      let sender = SRTPSender(try SRTPSendingKey(epoch: 0))
      let octets = sender.withSecret { secret in
        secret.byteOffsets.map { unsafe secret.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      }
      let secret = try unsafe SecretBytes(copying: octets.span.bytes)
      let receiver = SRTPReceiver()
      receiver.add(try SRTPReceivingKey(try SRTPSessionKey(epoch: 0, secret: secret)))
      var (seal, open) = (Double.infinity, Double.infinity)
      var packets = [[UInt8]](
        repeating: [UInt8](repeating: 0, count: plainBytes + SRTPSender.overheadByteCount),
        count: batch)
      var plain = packets[0]
      for turn in 0..<batches {
        for index in packets.indices { number(&packets[index], turn * batch + index) }
        seal = min(
          seal,
          try meanNanoseconds { index throws(CryptoError) in
            try Self.seal(&packets[index], by: sender)
          })
        open = min(
          open,
          try meanNanoseconds { index throws(CryptoError) in
            try Self.open(packets[index], by: receiver, into: &plain)
          })
      }
      return SealedPackets(sealNanoseconds: seal, openNanoseconds: open)
    } catch {
      throw .status(reason: "no packet could be sealed: \(error)")
    }
  }

  /// Writes an RTP header (RFC 3550 §5.1) with the packet's number.
  private static func number(_ packet: inout [UInt8], _ number: Int) {
    (packet[0], packet[1]) = (0x80, 111)
    packet[2] = UInt8(truncatingIfNeeded: number >> 8)
    packet[3] = UInt8(truncatingIfNeeded: number)
    packet[11] = 1
  }

  private static func seal(_ packet: inout [UInt8], by sender: SRTPSender) throws(CryptoError) {
    var span = packet.mutableSpan
    var bytes = unsafe span.mutableBytes
    _ = try sender.protect(&bytes, byteCount: plainBytes, variant: .first)
  }

  private static func open(
    _ packet: [UInt8], by receiver: SRTPReceiver, into plain: inout [UInt8]
  ) throws(CryptoError) {
    var span = plain.mutableSpan
    var bytes = unsafe span.mutableBytes
    _ = try unsafe receiver.unprotect(packet.span.bytes, into: &bytes)
  }

  private static func meanNanoseconds(
    _ work: (Int) throws(CryptoError) -> Void
  ) throws(CryptoError) -> Double {
    let begin = threadNanoseconds()
    for index in 0..<batch { try work(index) }
    return (threadNanoseconds() - begin) / Double(batch)
  }

  private static func threadNanoseconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
