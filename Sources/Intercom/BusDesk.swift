import Audio
import Glibc

/// The buses with ports of their own, and who is on them.
///
/// Loop thread only.
final class BusDesk {
  /// By bus, how loud a stream is on it, as a factor.
  typealias Gains = InlineArray<6, Float>

  private let engine: AudioEngine
  private(set) var buses: [BusSettings]

  /// Opens them, whose ports are named already; of more than there may be the first.
  init(engine: AudioEngine, _ settings: [BusSettings]) {
    self.engine = engine
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
