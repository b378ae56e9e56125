import Audio
import Cryptography
import EventLoop
import Habits
import JackSession
import Media

/// Makes a node's parts in the order in which they need one another.
struct IntercomParts {
  let loop: EventLoop
  let endpoint: UDPEndpoint
  let session: JackSession
  let station: Station
  let levels: LevelBlock
  let midi: MIDIPorts

  /// Everything that can fail at a node's start fails here.
  init(
    configuration: IntercomConfiguration,
    portsChanged: @escaping @Sendable (PortMemory) -> Void,
    events: @escaping @Sendable (IntercomEvent) -> Void
  ) throws(IntercomError) {
    do throws(EventLoopError) {
      loop = try EventLoop(
        configuration: EventLoopConfiguration(
          realtimePriority: configuration.realtimePriority, locksMemory: configuration.locksMemory))
      endpoint = try Self.endpoint(of: loop, at: configuration.listen)
    } catch {
      throw .eventLoop(error)
    }
    let levels = LevelBlock()
    self.levels = levels
    let identity = Identity()
    let protection: MediaProtection
    do throws(CryptoError) {
      protection = MediaProtection(try SRTPSendingKey(epoch: 0), ssrc: identity.ssrc)
    } catch {
      throw .cryptography(error)
    }
    do throws(AudioError) {
      let refusals = PortRefusals()
      let engine = try Self.engine(configuration, wakeDescriptor: loop.wakeDescriptor)
      var jack = JackSessionConfiguration(
        serverName: configuration.jackServer, clientName: configuration.jackClient,
        connectsPhysicalPorts: configuration.connectsPhysicalPorts,
        pluginPath: configuration.pluginPath)
      jack.memory = configuration.portMemory
      let midi = MIDIPorts(engine)
      self.midi = midi
      session = try JackSession(
        engine: engine, configuration: jack, onMemory: portsChanged, onMIDI: midi.follow
      ) { [loop] event in
        if case .running(let connection) = event, let priority = connection.realtimePriority {
          loop.keepBelow(realtimePriority: priority)
        }
        levels.noteChange()
        if let told = refusals.told(event) { events(told) }
      }
      station = Station(
        configuration: configuration, identity: identity, engine: engine, endpoint: endpoint,
        ports: SessionPorts(session: session, refusals: refusals),
        encoders: try configuration.makeEncoders(),
        inputs: try configuration.inputs.map { input throws(AudioError) in
          try configuration.makeEncoders(for: input)
        }, protection: protection,
        streams: StreamReserve(configuration.streams), levels: levels
      ) { event in
        levels.noteChange()
        events(event)
      }
    } catch {
      throw .audio(error)
    }
    station.house.lookAtSound = session.makeLook()
    station.house.lookAtMIDI = midi.look
    loop.setHandler(station)
  }

  /// The engine with all its ports.
  private static func engine(
    _ configuration: IntercomConfiguration, wakeDescriptor: Int32
  ) throws(AudioError) -> AudioEngine {
    let engine = try AudioEngine(
      wakeDescriptor: wakeDescriptor, isForPlugin: configuration.pluginPath != nil,
      inputs: configuration.inputs.flatMap(\.ports))
    for (bus, settings) in zip(MixBus.patched, configuration.buses) {
      try engine.setPort(of: bus, name: settings.port)
    }
    return engine
  }

  /// The socket; `[::]` is IPv6 and IPv4 both, and IPv4 alone where the kernel has no IPv6.
  private static func endpoint(
    of loop: EventLoop, at listen: SocketAddress
  ) throws(EventLoopError) -> UDPEndpoint {
    do throws(EventLoopError) {
      return try UDPEndpoint(loop: loop, bindingTo: listen)
    } catch {
      guard listen.isEverywhere, listen.family == .ipv6, error.meansNoIPv6 else { throw error }
      return try UDPEndpoint(loop: loop, bindingTo: SocketAddress(ipv4: 0, port: listen.port))
    }
  }
}

/// The socket as the station sees it; tests put a virtual network in its place.
///
/// Class-bound and held as an existential, not as a generic parameter: that costs one indirect call a packet, boxes and
/// allocates nothing, and leaves ``Station`` one plain class.
protocol DatagramEndpoint: AnyObject {
  var localAddress: SocketAddress { get }

  /// Makes a packet; nil: `fill` had nothing to send, or there is no room.
  func makePacket(_ fill: (inout MutableRawSpan) -> Int) -> PacketSlot?

  /// Sends a packet made in the same wake-up.
  func send(_ packet: PacketSlot, to destination: SocketAddress)

  /// Lets the next datagram cause a wake-up.
  func wakeOnDatagram()
}

extension UDPEndpoint: DatagramEndpoint {}
