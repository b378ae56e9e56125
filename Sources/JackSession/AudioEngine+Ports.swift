internal import Audio
internal import CRealtime
internal import Glibc

/// The calls into JACK. They block, so only `JackSession`'s own thread makes them (one thread: JACK's client calls
/// are not to be mixed).
extension AudioEngine {
  /// Where the JACK client stands.
  var state: EngineState {
    unsafe EngineState(rt_engine_state(handle))
  }

  /// Whether the server freewheels: it runs periods at any speed, and the engine takes no part in them. [any]
  var isFreewheeling: Bool {
    unsafe rt_engine_is_freewheeling(handle)
  }

  /// Whether another client of that name finds a server that runs, while ours is called no more; takes a second.
  static func finds(server: String, client: String) -> Bool {
    unsafe rt_server_runs(server, client)
  }

  /// Readable once JACK has reported something since `takeNotice()`; the engine's own.
  var noticeDescriptor: Int32 {
    unsafe rt_notice_fd(handle)
  }

  /// Takes all notices so far; what they are about is to be looked at afterwards.
  func takeNotice() {
    unsafe rt_take_notice(handle)
  }

  /// SCHED_FIFO priority of the process callback; nil: not real-time, or not running.
  func realtimePriority() -> Int? {
    let priority = unsafe rt_engine_realtime_priority(handle)
    return priority > 0 ? Int(priority) : nil
  }

  /// Becomes a JACK client and starts the audio; never starts a server.
  ///
  /// 0 or -errno, see CRealtime.h.
  func open(server: String, client: String) -> Int32 {
    unsafe rt_engine_open(handle, server, client)
  }

  /// Becomes what the plugin in jackd plays.
  ///
  /// 0 or -errno, see CRealtime.h.
  func open(plugin path: String, client: String) -> Int32 {
    unsafe rt_engine_open_plugin(handle, path, client)
  }

  /// Whether the plugin's ports were another daemon's before, and their connections are as the user wants them.
  var isResumed: Bool {
    unsafe rt_engine_is_resumed(handle)
  }

  /// Leaves JACK; does nothing when closed.
  func close() {
    unsafe rt_engine_close(handle)
  }

  /// (Re)names the slot's port, and registers it while JACK runs.
  ///
  /// 0 or -errno.
  func setPort(of slot: PeerSlot, name: String) -> Int32 {
    unsafe rt_peer_set_port(handle, slot.number, name)
  }

  /// Unregisters the slot's port.
  func clearPort(of slot: PeerSlot) {
    unsafe rt_peer_clear_port(handle, slot.number)
  }

  /// (Re)names a bus' port, and registers it while JACK runs.
  ///
  /// 0 or -errno.
  func setPort(ofBus bus: MixBus, name: String) -> Int32 {
    unsafe rt_bus_set_port(handle, bus.number, name)
  }

  /// Unregisters a bus' port.
  func clearPort(ofBus bus: MixBus) {
    unsafe rt_bus_clear_port(handle, bus.number)
  }

  /// Registers the MIDI ports while JACK runs, or takes them away.
  ///
  /// 0 or -errno.
  func setMIDIPorts(_ areWanted: Bool) -> Int32 {
    unsafe rt_midi_set_ports(handle, areWanted)
  }

  /// Connects two ports.
  ///
  /// 0, -EEXIST when they are, -ENOENT when one is missing.
  func connect(_ connection: PortConnection) -> Int32 {
    unsafe rt_connect(handle, connection.source, connection.destination)
  }

  /// Whether the graph has a port of that name now.
  ///
  /// JACK refuses to connect a port with itself; which refusal it is tells whether it knows the name.
  func hasPort(_ name: String) -> Bool {
    unsafe rt_connect(handle, name, name) != -ENOENT
  }

  /// Counts up with every change of ports or connections, anywhere in the graph.
  var graphChanges: UInt32 {
    unsafe rt_graph_changes(handle)
  }

  /// Every connection of our ports; nil when they are too many to tell.
  func connections() -> Set<PortConnection>? {
    guard
      let lines = unsafe lines({ text, capacity in unsafe rt_connections(handle, text, capacity) })
    else { return nil }
    var connections: Set<PortConnection> = []
    for pair in stride(from: 0, to: lines.count - 1, by: 2) {
      connections.insert(PortConnection(source: lines[pair], destination: lines[pair + 1]))
    }
    return connections
  }

  /// The ports of sound cards in JACK's order: `capturing`, those that bring sound in;
  /// otherwise those that take it out.
  func physicalPorts(capturing: Bool) -> [String] {
    unsafe lines { text, capacity in
      unsafe rt_physical_ports(handle, capturing, text, capacity)
    } ?? []
  }

  /// What libjack had to say since the last call, as one line; empty: nothing.
  func takeMessages() -> String {
    var messages: [String] = []
    while messages.count < 64 {
      var text = [UInt8](repeating: 0, count: 192)
      let bytes = unsafe text.withUnsafeMutableBytes { text in
        unsafe rt_take_jack_message(
          text.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(text.count))
      }
      guard bytes > 0 else { break }
      messages.append(String(decoding: text.prefix(Int(bytes)), as: UTF8.self))
    }
    return messages.joined(separator: " / ")
  }

  /// Reads a C function's answer of lines, with more room while it says -ENOSPC.
  private func lines(
    _ read: (UnsafeMutablePointer<CChar>?, UInt32) -> Int32
  ) -> [String]? {
    var capacity = 16 << 10
    while capacity <= 4 << 20 {
      var text = [UInt8](repeating: 0, count: capacity)
      let bytes = unsafe text.withUnsafeMutableBytes { text in
        unsafe read(text.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(text.count))
      }
      if bytes >= 0 {
        return text.prefix(Int(bytes)).split(separator: UInt8(ascii: "\n"))
          .map { String(decoding: $0, as: UTF8.self) }
      }
      guard bytes == -ENOSPC else { return nil }
      capacity *= 4
    }
    return nil
  }
}

/// A peer's name as JACK takes it in a port name.
enum PeerPortName {
  /// What every peer's port begins with.
  static let prefix = "peer_"
  /// The longest port name CRealtime keeps, without its closing zero.
  static let maximumBytes = Int(RT_NAME_BYTES) - 1

  /// `peer_` and the name, cut at a character's end.
  ///
  /// Colons (they part client and port) and control characters (names are listed one a line) become underscores.
  static func portName(forPeer name: String) -> String {
    var portName = prefix
    for character in name {
      let next = isUsable(character) ? character : "_"
      guard portName.utf8.count + next.utf8.count <= maximumBytes else { break }
      portName.append(next)
    }
    return portName
  }

  private static func isUsable(_ character: Character) -> Bool {
    character != ":" && character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}

/// Where the JACK client behind an engine stands.
enum EngineState: Sendable {
  case closed, running, serverGone

  init(_ state: rt_state) {
    switch state {
    case RT_RUNNING: self = .running
    case RT_SERVER_GONE: self = .serverGone
    default: self = .closed
    }
  }
}
