import Audio
import Glibc

/// The buses with ports of their own, and who is on them.
///
/// Loop thread only.
final class BusDesk {
  /// By bus, how loud a stream is on it, as a factor.
  typealias Gains = InlineArray<6, Float>

  /// A bus that has what is heard on a line.
  private struct LineBus {
    /// The line's place.
    let place: Int
    var port: String
    /// False while its last use fades out.
    var isOpen = false
  }

  private let engine: AudioEngine
  private let slots: Slots
  private(set) var buses: [BusSettings]
  /// Lines with ports of their own, by the number of the bus, behind ``buses``.
  private var lines: [LineBus?] = MixBus.patched.map { _ in nil }

  /// Opens them, whose ports are named already; of more than there may be the first.
  init(engine: AudioEngine, slots: Slots, _ settings: [BusSettings]) {
    (self.engine, self.slots) = (engine, slots)
    buses = Array(settings.prefix(MixBus.patched.count))
    // With a ring each, which nobody reads but recorders.
    for (bus, _) in zip(MixBus.patched, buses) { _ = engine.openMono(bus, isRead: true) }
  }

  /// How loud a member of that name is on each.
  func gains(of name: String) -> Gains {
    var gains = Gains(repeating: 0)
    for index in buses.indices { gains[index] = buses[index].gain(of: name) }
    return gains
  }

  /// Hands a stream's gains to the mixer: those of the member, where the line that it is for is heard.
  ///
  /// Allocates nothing.
  func apply(_ gains: Gains, factor: Float, to slot: PeerSlot) {
    for index in buses.indices {
      engine.setGain(gains[index] * factor, for: slot, on: MixBus.patched[index])
    }
  }

  /// Gives the lines at these places ports of these names, as far as buses are free, and others none.
  ///
  /// What is heard there has to be handed over anew (``apply(places:to:)``).
  func follow(_ ports: [Int: String]) {
    for (index, line) in lines.enumerated() {
      guard let line, ports[line.place] == nil else { continue }
      lines[index] = nil
      engine.close(MixBus.patched[index])
      slots.setPort(of: MixBus.patched[index], named: nil)
    }
    for (place, port) in ports.sorted(by: { $0.key < $1.key }) {
      let known = lines.firstIndex { $0?.place == place }
      let free = lines.indices.dropFirst(buses.count).first { lines[$0] == nil }
      guard let index = known ?? free, lines[index]?.port != port else { continue }
      lines[index] = LineBus(place: place, port: port, isOpen: lines[index]?.isOpen ?? false)
      slots.setPort(of: MixBus.patched[index], named: port)
    }
    openLines()
  }

  /// Opens those whose last use has faded out.
  func openLines() {
    for index in lines.indices where lines[index]?.isOpen == false {
      lines[index]?.isOpen = engine.openMono(MixBus.patched[index])
    }
  }

  /// Lets a stream be on the ports of the lines at these places, a bit each, as it came, and on no other line's.
  ///
  /// Allocates nothing.
  func apply(places: UInt64, to slot: PeerSlot) {
    for index in lines.indices {
      guard let line = lines[index] else { continue }
      let isOn = places >> UInt64(line.place) & 1 == 1
      engine.setGain(isOn ? 1 : 0, for: slot, on: MixBus.patched[index])
    }
  }

  /// How loud the line at a place is at its port; nil: it has none.
  func level(ofLineAt place: Int) -> MeterReading? {
    lines.firstIndex { $0?.place == place }.map { level(of: $0) }
  }

  /// Buses for a recorder, and what their files are called: as their ports.
  func taped(_ names: [String]) throws(IntercomError) -> [(name: String, bus: MixBus)] {
    var taped: [(name: String, bus: MixBus)] = []
    for name in names {
      guard let index = buses.firstIndex(where: { $0.name == name }) else {
        throw .unknownPatch("bus", name, known: buses.map(\.name))
      }
      let bus = MixBus.patched[index]
      if !taped.contains(where: { $0.bus == bus }) { taped.append((buses[index].port, bus)) }
    }
    return taped
  }

  /// How loud a bus is, after its limiter.
  func level(of index: Int) -> MeterReading { engine.meter(of: MixBus.patched[index]) }

  /// Sets how loud a member is on a bus, or all are who are not set by themselves.
  ///
  /// - Parameters:
  ///   - decibels: minus infinity: not at all.
  ///   - member: what it is called; nil: all, those that were set by themselves, too.
  /// - Returns: the bus as it is set now.
  @discardableResult
  func set(
    _ decibels: Double, of member: String?, on bus: String
  ) throws(IntercomError) -> BusSettings {
    guard let index = buses.firstIndex(where: { $0.name == bus }) else {
      throw .unknownPatch("bus", bus, known: buses.map(\.name))
    }
    guard let member else {
      (buses[index].others, buses[index].members) = (decibels, [:])
      return buses[index]
    }
    let known = buses[index].members
    guard known[member] != nil || known.count < BusSettings.mostMembers else {
      throw .refused("\(BusSettings.mostMembers) members are set on bus \(bus) already; set all")
    }
    buses[index].members[member] = decibels
    return buses[index]
  }
}

/// A bus with a port of its own, as the user wants it.
public struct BusSettings: Hashable, Sendable {
  /// The most buses of a node.
  public static let mostBuses = MixBus.patched.count
  /// The most members that are set by themselves on one.
  public static let mostMembers = 256

  /// What it is called.
  public var name: String
  /// How loud those are who are not set by themselves, decibels; minus infinity: not at all.
  public var others = 0.0
  /// The same of members, by what they are called here.
  public var members: [String: Double] = [:]
  /// What the configuration says of it.
  public var configured = ""

  /// A bus with everybody on it.
  public init(name: String) { self.name = name }

  /// Its JACK port's name.
  public var port: String { "bus_\(name)" }

  /// How loud a member is, as a factor.
  func gain(of member: String) -> Float {
    let decibels = members[member] ?? others
    return Float(pow(10, decibels / 20))
  }
}
