import Testing

@testable import JackSession

struct CardPortsTests {
  private typealias Ports = [CardPorts.Side: [String]]

  private static let card: Ports = [
    .capture: ["system:capture_1", "system:capture_2"],
    .playback: ["system:playback_1", "system:playback_2"],
  ]
  private static let headset: Ports = [.capture: ["usb:mic"], .playback: ["usb:ear"]]

  private var cards = CardPorts(client: "comlink")
  private var connections: Set<PortConnection> = []
  private var remembered: Set<PortConnection> = []

  private static func line(_ text: String) -> PortConnection {
    let names = text.split(separator: " ").map(String.init)
    return PortConnection(source: names[0], destination: names[1])
  }

  /// Looks until nothing more is due; returns what was connected.
  private mutating func look(_ ports: Ports) -> Set<PortConnection> {
    var made: Set<PortConnection> = []
    repeat {
      let outcome = cards.look(connections, remembered: remembered) { ports[$0] ?? [] }
      made.formUnion(outcome.connect)
      remembered.subtract(outcome.forget)
    } while cards.needsAnotherLook
    connections.formUnion(made)
    remembered.formUnion(made)
    return made
  }

  /// Ports vanish, and their connections with them.
  private mutating func unplug() { connections = [] }

  private mutating func cut(_ text: String, _ ports: Ports) {
    connections.remove(Self.line(text))
    remembered.remove(Self.line(text))
    cards.cut(Self.line(text)) { ports[$0] ?? [] }
  }

  @Test
  mutating func `a card that is there at the beginning is connected, once`() {
    cards.open()
    #expect(look(Self.card).count == 3)
    #expect(look(Self.card).isEmpty)
    #expect(connections.contains(Self.line("comlink:mix_right system:playback_2")))
  }

  @Test
  mutating func `a side that has no card yet is connected when one comes`() {
    #expect(look([.playback: Self.card[.playback] ?? []]).count == 2)
    #expect(look(Self.card) == [Self.line("system:capture_1 comlink:mic")])
  }

  @Test
  mutating func `ports that come one by one are waited for`() {
    let both = ["a:1", "a:2"]
    _ = cards.look([], remembered: []) { $0 == .playback ? ["a:1"] : [] }
    #expect(cards.needsAnotherLook)
    let second = cards.look([], remembered: []) { $0 == .playback ? both : [] }
    #expect(second.connect.isEmpty && cards.needsAnotherLook)
    let third = cards.look([], remembered: []) { $0 == .playback ? both : [] }
    #expect(third.connect.contains(Self.line("comlink:mix_right a:2")))
  }

  @Test
  mutating func
    `a headset that comes back under another name is connected, its former name forgotten`()
  {
    _ = look(Self.headset)
    unplug()
    #expect(look([:]).isEmpty)
    let made = look([.capture: ["usb2:mic"], .playback: ["usb2:ear"]])
    #expect(made.count == 3 && remembered == made)
  }

  @Test
  mutating func
    `a microphone that was there all the time is no stand-in for a headset that is gone`()
  {
    let both: Ports = [
      .capture: ["usb:mic", "system:capture_1"], .playback: ["usb:ear", "system:playback_1"],
    ]
    _ = look(both)
    #expect(connections.contains(Self.line("usb:mic comlink:mic")))
    unplug()
    let rest: Ports = [.capture: ["system:capture_1"], .playback: ["system:playback_1"]]
    #expect(look(rest).isEmpty)
    #expect(look(rest).isEmpty)
    // It is back; the memory connects it, and if not, we do.
    #expect(look(both).contains(Self.line("usb:mic comlink:mic")))
  }

  @Test
  mutating func `what the user cut stays cut, also on another server, until connected by hand`() {
    _ = look(Self.card)
    cut("system:capture_1 comlink:mic", Self.card)
    #expect(cards.cutSides == [.capture])
    #expect(look(Self.card).isEmpty)
    cards.open()
    #expect(look(Self.card).isEmpty)
    #expect(look([.capture: ["usb:mic"]]).isEmpty)
    connections.insert(Self.line("system:capture_2 comlink:mic"))
    _ = look(Self.card)
    #expect(cards.cutSides.isEmpty)
    unplug()
    cards.open()
    #expect(look(Self.headset).contains(Self.line("usb:mic comlink:mic")))
  }

  @Test
  mutating func `a program that the user takes from the mix is no card`() {
    _ = look(Self.card)
    connections.insert(Self.line("comlink:mix_left recorder:in"))
    cut("comlink:mix_left recorder:in", Self.card)
    #expect(cards.cutSides.isEmpty)
  }

  @Test
  mutating func `what the user connected is not forgotten for a card that comes by itself`() {
    let byHand = Self.line("usb:mic comlink:mic")
    connections = [byHand]
    remembered = [byHand]
    _ = look(Self.headset)
    unplug()
    _ = look([:])
    _ = look(Self.card)
    #expect(remembered.contains(byHand))
  }

  @Test
  mutating func `in a graph from before our time a side without connections stays so`() {
    connections = [Self.line("comlink:mix_left system:playback_1")]
    cards.keepUnconnected(connections)
    #expect(look(Self.card).isEmpty)
    #expect(cards.cutSides == [.capture])
  }
}
