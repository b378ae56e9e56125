import Testing

@testable import JackSession

struct ConnectionMemoryTests {
  static let mic = PortConnection(source: "system:capture_1", destination: "comlink:mic")
  static let ear = PortConnection(source: "comlink:mix_left", destination: "recorder:in")
  static let settle = ConnectionMemory.settleNanoseconds

  @Test
  func `what the user cuts is forgotten once both ports outlived it`() {
    var memory = ConnectionMemory()
    #expect(memory.observe([Self.mic], nowNanoseconds: 0) { _ in true } == [])
    #expect(memory.observe([], nowNanoseconds: 1) { _ in true } == [])
    #expect(memory.connections == [Self.mic])
    #expect(memory.needsAnotherLook)
    #expect(memory.observe([], nowNanoseconds: 1 + Self.settle) { _ in true } == [])
    #expect(memory.connections.isEmpty)
    #expect(!memory.needsAnotherLook)
  }

  @Test
  func `a program that ends takes its connections only until it is back`() {
    var memory = ConnectionMemory()
    _ = memory.observe([Self.ear, Self.mic], nowNanoseconds: 0) { _ in true }
    for look in 1..<5 {
      let missing = memory.observe([Self.mic], nowNanoseconds: Int64(look) * Self.settle) {
        $0 != "recorder:in"
      }
      #expect(missing == [])
      #expect(!memory.needsAnotherLook)
    }
    #expect(memory.observe([Self.mic], nowNanoseconds: 9 * Self.settle) { _ in true } == [Self.ear])
    _ = memory.observe([Self.mic, Self.ear], nowNanoseconds: 10 * Self.settle) { _ in true }
    #expect(
      memory.observe([Self.mic, Self.ear], nowNanoseconds: 11 * Self.settle) { _ in true } == [])
    #expect(memory.connections == [Self.mic, Self.ear])
  }

  @Test
  func `a program that cuts first and takes its port away a moment later has ended, too`() {
    var memory = ConnectionMemory()
    _ = memory.observe([Self.ear], nowNanoseconds: 0) { _ in true }
    _ = memory.observe([], nowNanoseconds: 1) { _ in true }
    _ = memory.observe([], nowNanoseconds: 2) { $0 != "recorder:in" }
    #expect(memory.observe([], nowNanoseconds: 9 * Self.settle) { _ in true } == [Self.ear])
  }

  @Test
  func `what comes back by itself while it is lost is kept`() {
    var memory = ConnectionMemory()
    _ = memory.observe([Self.ear], nowNanoseconds: 0) { _ in true }
    _ = memory.observe([], nowNanoseconds: 1) { _ in true }
    _ = memory.observe([Self.ear], nowNanoseconds: 2) { _ in true }
    _ = memory.observe([], nowNanoseconds: Self.settle) { _ in true }
    _ = memory.observe([], nowNanoseconds: Self.settle + 10) { _ in true }
    #expect(memory.connections == [Self.ear])
  }

  @Test
  func `a port of ours that goes and is back before the next look keeps its connections`() {
    var memory = ConnectionMemory()
    _ = memory.observe([Self.ear, Self.mic], nowNanoseconds: 0) { _ in true }
    memory.losePort("comlink:mix_left")
    #expect(memory.observe([Self.mic], nowNanoseconds: 1) { _ in true } == [Self.ear])
    #expect(memory.connections == [Self.mic, Self.ear])
  }

  @Test
  func
    `when the server is gone, all connections are made again on the next one, as its ports come`()
  {
    var memory = ConnectionMemory()
    _ = memory.observe([Self.ear, Self.mic], nowNanoseconds: 0) { _ in true }
    _ = memory.observe([], nowNanoseconds: 1) { _ in true }
    memory.loseServer()
    let first = memory.observe([], nowNanoseconds: 9 * Self.settle) { $0 != "recorder:in" }
    #expect(first == [Self.mic])
    let second = memory.observe([Self.mic], nowNanoseconds: 10 * Self.settle) { _ in true }
    #expect(second == [Self.ear])
  }

  @Test
  func `a connection that cannot be made is tried again at each look`() {
    var memory = ConnectionMemory()
    _ = memory.observe([Self.ear], nowNanoseconds: 0) { _ in true }
    memory.loseServer()
    for look in 1...3 {
      let missing = memory.observe([], nowNanoseconds: Int64(look) * Self.settle) { _ in true }
      #expect(missing == [Self.ear])
    }
  }

  @Test
  func `what was remembered before is made again, in its order, as its ports come`() {
    var memory = ConnectionMemory([Self.ear, Self.mic])
    #expect(memory.ordered == [Self.ear, Self.mic])
    #expect(memory.observe([], nowNanoseconds: 0) { $0 != "recorder:in" } == [Self.mic])
    #expect(memory.observe([Self.mic], nowNanoseconds: 1) { _ in true } == [Self.ear])
  }

  @Test
  func `what is missing in a graph that went on without us was cut by the user`() {
    var memory = ConnectionMemory([Self.ear, Self.mic])
    memory.resume()
    #expect(memory.observe([Self.mic], nowNanoseconds: 0) { _ in true } == [])
    _ = memory.observe([Self.mic], nowNanoseconds: Self.settle) { _ in true }
    #expect(memory.connections == [Self.mic])
    #expect(memory.cut == [Self.ear])
  }

  @Test
  func `a full memory gives up what was made first and is away, not what is new`() {
    let old = (0..<ConnectionMemory.capacity).map {
      PortConnection(source: "comlink:mix_left", destination: "gone:\($0)")
    }
    var memory = ConnectionMemory(old)
    _ = memory.observe([Self.ear], nowNanoseconds: 0) { _ in false }
    #expect(memory.connections.count == ConnectionMemory.capacity)
    #expect(memory.connections.contains(Self.ear) && !memory.connections.contains(old[0]))
  }

  @Test
  func `ever-changing port names fill a bounded memory`() {
    var memory = ConnectionMemory()
    for number in 0..<3 * ConnectionMemory.capacity {
      let connection = PortConnection(
        source: "comlink:peer_\(number)", destination: "out:\(number)")
      _ = memory.observe([connection], nowNanoseconds: Int64(number)) { _ in false }
    }
    #expect(memory.connections.count == ConnectionMemory.capacity)
  }
}
