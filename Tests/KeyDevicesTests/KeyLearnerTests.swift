import CEvdev
import Glibc
import Keys
import Testing

@testable import KeyDevices

/// `comlink keys learn`, without a terminal.
@Suite struct KeyLearnerTests {
  private let kernel = FakeKernel()
  private static let b = UInt16(48)

  private func learner() -> KeyLearner {
    KeyLearner(places: kernel.places, calls: kernel.calls)
  }

  private func read(
    _ learner: inout KeyLearner
  ) -> (learned: [KeyLearner.Learned], problems: [String]) {
    var all: (learned: [KeyLearner.Learned], problems: [String]) = ([], [])
    for descriptor in learner.descriptors {
      let some = learner.read(descriptor)
      all = (all.learned + some.learned, all.problems + some.problems)
    }
    return all
  }

  @Test func `a pressed key is told as keys.toml wants it, once`() {
    kernel.plug("event0", .init(name: #"Pad "9\x""#))
    var learner = learner()
    #expect(learner.scan() == [])
    #expect(learner.names == [#"Pad "9\x""#])
    kernel.say(
      "input/event0",
      kernel.stroke(Self.b, isDown: true) + kernel.stroke(Self.b, isDown: false)
        + kernel.stroke(Self.b, isDown: true) + kernel.stroke(700, isDown: true))
    let learned = read(&learner).learned
    #expect(
      learned.map(\.lines) == [
        [#"device = "Pad \"9\\x\"""#, #"code = "KEY_B""#],
        [#"device = "Pad \"9\\x\"""#, #"code = "700""#],
      ])
    kernel.say("input/event0", kernel.stroke(Self.b, isDown: true))
    #expect(read(&learner).learned == [])
  }

  @Test func `a device that is plugged in meanwhile is heard`() {
    var learner = learner()
    #expect(learner.scan() == [])
    kernel.plug("event4", .init(name: "Pedal"))
    _ = read(&learner)
    kernel.say("input/event4", kernel.stroke(Self.b, isDown: true))
    #expect(read(&learner).learned.count == 1)
    kernel.unplug("event4")
    #expect(read(&learner).problems == ["Pedal is gone"])
  }

  @Test func `why a device is not heard is told`() {
    kernel.plug("event0", .init(name: "Pedal", isTaken: true))
    kernel.plug("event1", .init(name: "Secret", openError: EACCES))
    var learner = learner()
    let problems = learner.scan()
    #expect(problems.count == 2)
    #expect(problems.first?.contains("systemctl stop comlink-keys") == true)
    #expect(problems.last?.contains("group input") == true)
    #expect(learner.scan() == [])
  }

  @Test func `unused lines are heard, those of buses and outputs are left alone`() {
    kernel.add(
      "gpiochip0",
      .init(
        label: "pinctrl-rp1",
        lines: [
          LineFacts(name: "ID_SDA"), LineFacts(name: "GPIO2", consumer: "i2c", isUsed: true),
          LineFacts(name: "GPIO3", isOutput: true), LineFacts(name: ""),
          LineFacts(name: "GPIO17"),
        ]))
    var learner = learner()
    #expect(learner.scanLines() == [])
    #expect(learner.names == ["GPIO17"])
    #expect(kernel.use(of: "gpiochip0:4")?.pull == .up)
    kernel.say("gpiochip0:4", kernel.edge(1, number: 1) + kernel.edge(0, number: 2))
    #expect(
      read(&learner).learned.map(\.lines) == [[#"gpio = "GPIO17""#, #"chip = "pinctrl-rp1""#]])
  }

  @Test func `a machine without chips says so`() {
    var learner = learner()
    #expect(learner.scanLines() == ["no GPIO chip"])
    kernel.write("", to: "/dev/gpiochip0")
    #expect(learner.scanLines().first?.contains("group gpio") == true)
  }
}
