import RTP
import Testing

@testable import Lines

/// Lines with JACK outputs of their own.
@Suite struct LinePortTests {
  private var desk = LineDesk(instance: 1)

  private static func name(_ text: String) -> LineName {
    guard let name = try? LineName(text) else { preconditionFailure("a good name: \(text)") }
    return name
  }

  private mutating func open(_ names: String...) throws {
    for name in names {
      try desk.makeLine(Self.name(name))
      try desk.setPort(true, of: Self.name(name))
    }
  }

  @Test mutating func `ports are named after their lines, safe and each once`() throws {
    try open("Bühne 🎭", "a:b", "a_b", "a_b 2", "a::b")
    #expect(
      desk.ports == [
        Self.name("Bühne 🎭"): "line_Bühne 🎭", Self.name("a_b"): "line_a_b",
        Self.name("a_b 2"): "line_a_b 2", Self.name("a:b"): "line_a_b 3",
        Self.name("a::b"): "line_a__b",
      ])
    // The media path has them by the lines' places, those who look by name.
    let places = desk.places.filter { desk.routing.ports[$0.key] != nil }
    #expect(places.count == 5)
    #expect(places.allSatisfy { desk.ports[$0.value] == desk.routing.ports[$0.key] })
    #expect(desk.lines.first { $0.name == Self.name("a:b") }?.port == "line_a_b 3")
    #expect(desk.lines.first { $0.name == .all }?.port == nil)
    try desk.setPort(false, of: Self.name("a_b"))
    #expect(desk.ports[Self.name("a:b")] == "line_a_b")
  }

  @Test mutating func `there are as many as buses are free, and what is left gives its own back`()
    throws
  {
    desk.portLimit = 2
    try open("a", "b")
    #expect(throws: LineError.noFreePort(2)) { try desk.setPort(true, of: .all) }
    #expect("\(LineError.noFreePort(2))".contains("comlink line port LINE off"))
    #expect("\(LineError.noFreePort(0))".contains("--bus"))
    #expect(throws: LineError.notOnLine(Self.name("c"))) {
      try desk.setPort(true, of: Self.name("c"))
    }
    try desk.setPort(true, of: Self.name("A"))
    try desk.leaveLine(Self.name("b"))
    try desk.setPort(true, of: .all)
    #expect(desk.routing.ports == [0: "line_all", 1: "line_a"])
    // With fewer free ones at the next start the first have them, and the others are not forgotten.
    var next = LineDesk(instance: 2, settings: desk.settings)
    next.portLimit = 1
    #expect(next.ports == [Self.name("a"): "line_a"])
    #expect(next.settings.octets == desk.settings.octets)
  }
}
