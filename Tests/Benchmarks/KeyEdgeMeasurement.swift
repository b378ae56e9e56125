import Remote
import StatusSchema
import TestRig

/// From the edge of a key to the open gate, and to the first packet, on real JACK.
///
/// The edge is a MIDI note at `keys_in`, which JACK gives the time of a frame, or a command at the control socket, from
/// before its connection is made. That the gate is open the ear tells: from then on the node plays its own microphone
/// there, as sidetone, in the callback. Both are times of JACK's clock. The first packet is the first with a marker,
/// as the kernel sends it.
struct KeyEdgeMeasurement {
  /// What works the key.
  enum Way: String, CaseIterable { case midi, command }

  /// What was seen of one press, milliseconds since its edge; NaN: never.
  private struct Press {
    var gate = Double.nan
    var packet = Double.nan
  }

  static let usualPresses = 40

  private static let key = "edge"
  private static let on: [UInt8] = [0x90, 60, 100]
  private static let off: [UInt8] = [0x80, 60, 0]
  /// The codec frame, which bounds how soon a packet can be there.
  private static let packetMilliseconds = 10.0
  /// Beyond the period and the codec frame.
  private static let spareMilliseconds = 1.0
  /// Far above that: what comes later is not of this press.
  private static let longestMilliseconds = 200.0

  let bench: Bench
  let presses: Int

  func run() throws(RigError) {
    var ports: [Int] = []
    let (a, b) = try bench.pair(recordSeconds: Double(presses) * 1.2 + 10) { options in
      options.ptime = "10"
      ports.append(options.port)
    }
    defer {
      a.stop()
      b.stop()
    }
    let device = try MIDIDevice(server: a.server.name, name: "pads")
    try prepare(a, b, device)
    for way in Way.allCases {
      let packets = try SentDatagrams(from: ports[0])
      let edges = try press(way, a, device)
      add(way, judge(edges, a.ear, packets.all.filter { $0.isMarked && $0.port == ports[1] }))
    }
    device.unplug()
  }

  private func prepare(_ a: Station, _ b: Station, _ device: MIDIDevice) throws(RigError) {
    var setting = KeySetting(name: Self.key, lines: ["all"])
    (setting.midi, setting.latchMilliseconds) = ("note 60", 0)
    _ = try a.node.ask(.key(.set(setting)))
    for node in [a.node, b.node] { _ = try node.ask(.talk(isOn: false)) }
    _ = try a.node.ask(.sidetone(decibels: -6))
    // Never silent, so that the first frame that passes is seen.
    try a.prepareToSay([Float](repeating: 0.25, count: 48_000), loops: true)
    try a.listen(to: ["mix_left"])
    // Its lamps, too, would make a loop of it, which JACK breaks by a period of delay.
    try waitUntil("keys_in", within: 10) { (try? device.connectKeys(to: a.node)) != nil }
    // JACK hands over messages some periods after it has connected.
    try waitUntil("a note to press the key", within: 10, interval: 0.3) { () throws(RigError) in
      try device.send([Self.on])
      pause(seconds: 0.1)
      let isHeld = try a.node.status().keys?.first { $0.name == Self.key }?.isHeld == true
      try device.send([Self.off])
      return isHeld
    }
    pause(seconds: 0.5)
  }

  /// Presses the key again and again; when.
  private func press(_ way: Way, _ a: Station, _ device: MIDIDevice) throws(RigError) -> [Int64] {
    Console.line("\n\(way.rawValue), \(presses) presses:")
    try a.ear.start()
    try a.mouth.start()
    pause(seconds: 0.5)
    _ = device.takeSentNanoseconds()
    var edges: [Int64] = []
    for number in 0..<presses {
      switch way {
      case .midi:
        try device.send([Self.on])
        pause(seconds: 0.25)
        edges += device.takeSentNanoseconds().prefix(1)
        try device.send([Self.off])
      case .command:
        edges.append(jackNanoseconds())
        _ = try a.node.ask(.key(.press(key: Self.key, holder: nil)))
        pause(seconds: 0.25)
        _ = try a.node.ask(.key(.release(key: Self.key, holder: nil)))
      }
      // At any place of period and codec frame.
      pause(seconds: 0.35 + 0.0137 * Double(number % 20))
      _ = device.takeSentNanoseconds()
    }
    a.mouth.stop()
    a.ear.stop()
    return edges
  }

  private func judge(
    _ edges: [Int64], _ ear: Probe, _ packets: [SentDatagrams.Datagram]
  ) -> [Press] {
    let (heard, line) = (ear.recording(), ear.recordedTimeLine)
    return edges.map { edge in
      var press = Press()
      func milliseconds(_ time: Double) -> Double {
        let since = (time - Double(edge)) / 1e6
        return since < Self.longestMilliseconds ? since : .nan
      }
      if let packet = packets.first(where: { $0.nanoseconds >= edge }) {
        press.packet = milliseconds(Double(packet.nanoseconds))
      }
      guard let start = line.position(at: Double(edge)).map({ Int($0.rounded(.up)) }),
        heard.indices.contains(start), heard[start] == 0,
        let first = heard[start...].firstIndex(where: { $0 != 0 }),
        let time = line.nanoseconds(at: Double(first))
      else { return press }
      press.gate = milliseconds(time)
      return press
    }
  }

  private func add(_ way: Way, _ presses: [Press]) {
    let name = "lines.edge.\(way.rawValue)"
    let period = bench.options.periodMilliseconds
    let gate = Distribution(presses.map(\.gate))
    let packet = Distribution(presses.map(\.packet))
    bench.figures.add("\(name).gate", gate, "ms")
    bench.figures.add("\(name).gate.periods", gate.median / period, "periods")
    bench.figures.add("\(name).packet", packet, "ms")
    bench.limit(
      "\(name).gate.median", gate.median, "ms", atMost: period + Self.spareMilliseconds)
    bench.limit(
      "\(name).packet.median", packet.median, "ms",
      atMost: period + Self.spareMilliseconds + Self.packetMilliseconds)
    let seen = min(gate.values.count, packet.values.count)
    bench.doubts.check(
      "\(name): \(seen) of \(presses.count) presses were seen", 10 * seen < 9 * presses.count)
  }
}
