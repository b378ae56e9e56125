import Mesh
import Testing

@Suite struct FloodTests {
  private static let kinds: [Message] = [
    .heartbeat(Heartbeat(memberCount: 2)),
    .mediaKey(MediaKey(stream: 0, ssrc: 1, epoch: 1, octets: [1])),
    .accept,
    .hello(Hello(node: Bench.lower, instance: 1, profile: NodeProfile(name: "x"), admits: true)),
  ]

  @Test(arguments: kinds)
  func `a member that floods is out, with words, and not listened to for a minute`(
    message: Message
  ) {
    let bench = Bench()
    bench.share()
    let bystander = bench.accept(Bench.higher)
    let member = bench.accept(Bench.lower, attempt: 1)
    bench.pass(seconds: 1)
    _ = bench.taken()
    for _ in 0..<(MeshLimits.messageBurst + 1) { bench.give(.received(message, member)) }
    let actions = bench.taken()
    #expect(actions.closed(member) == .flooding && actions.departed == [.flooding])
    #expect(
      actions.sent(on: member).last
        == .decline(Decline(words: "more than 32 messages a second")))
    #expect(bench.mesh.members.map(\.node) == [Bench.higher])
    #expect(bench.mesh.counters.floods == 1)
    // What is still under way on the connection means nothing.
    bench.give(.received(message, member))
    #expect(bench.taken().isEmpty)

    let again = bench.accept(Bench.lower, attempt: 2)
    #expect(bench.taken().closed(again) == .flooding)
    bench.keepAlive(bystander, seconds: 59)
    let actionsOfTheMinute = bench.taken()
    #expect(actionsOfTheMinute.contains(.rollKeys([0])))
    #expect(actionsOfTheMinute.dials.isEmpty)
    bench.keepAlive(bystander, seconds: 2)
    let later = bench.accept(Bench.lower, attempt: 3)
    #expect(bench.taken().closed(later) == nil)
    #expect(bench.mesh.members.count == 2)
  }

  @Test func `a later run of who flooded is listened to at once, the same run is not`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    for _ in 0...MeshLimits.messageBurst {
      bench.give(.received(.heartbeat(Heartbeat()), member))
    }
    #expect(bench.mesh.members.isEmpty)
    let same = bench.accept(Bench.lower, attempt: 2)
    #expect(bench.taken().closed(same) == .flooding)
    let later = bench.accept(Bench.lower, instance: 2)
    #expect(bench.taken().closed(later) == nil)
    #expect(bench.mesh.isMember(Bench.lower, instance: 2))
  }

  @Test func `a stranger that floods before it is let in is cut too`() {
    let bench = Bench()
    let stranger = bench.accept(Bench.lower, group: false)
    bench.give(.received(.invite, stranger))
    for _ in 0..<MeshLimits.messageBurst {
      bench.give(.received(bench.hello(Bench.lower, name: "y"), stranger))
    }
    let actions = bench.taken()
    #expect(actions.closed(stranger) == .flooding)
    #expect(actions.contains(.invitationEnded(Bench.lower)))
  }

  @Test func `who keeps the rate stays, however long`() {
    let bench = Bench()
    let member = bench.accept(Bench.lower)
    for _ in 0..<600 {
      for _ in 0..<3 { bench.give(.received(.heartbeat(Heartbeat()), member)) }
      bench.pass(seconds: 0.1)
    }
    #expect(bench.mesh.members.count == 1)
    #expect(bench.mesh.counters.floods == 0)
  }
}
