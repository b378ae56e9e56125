import TestKit
import Testing

@testable import comlink_link

@Suite struct LinkOptionsTests {
  private static func options(_ line: String) throws(LinkError) -> LinkOptions {
    try LinkOptions(line.split(separator: " ").map(String.init))
  }

  @Test func `its own options, the link's and a command are told apart`() throws {
    let options = try Self.options(
      "--nodes a,b --loss 2 --seed 9 --at 3 --delay 20 --seconds 1.5 --orders /tmp/o --droughts /tmp/d -- ip -n comlink-a -- x"
    )
    #expect(options.nodes == ["a", "b"])
    #expect(options.seed == 9)
    #expect(options.seconds == 1.5)
    #expect(options.ordersPath == "/tmp/o")
    #expect(options.droughtsPath == "/tmp/d")
    #expect(options.command == ["ip", "-n", "comlink-a", "--", "x"])
    #expect(options.linkWords == ["--loss", "2", "--at", "3", "--delay", "20"])
    #expect(options.scenario.model.loss == 0.02)
    #expect(options.scenario.changes.first?.model.delayNanoseconds == 20_000_000)
  }

  @Test(arguments: [
    "", "--nodes a", "--nodes a,a", "--nodes a,,b", "--nodes a,b;c", "--nodes a,../b",
    "--nodes a,abcdefghijklmnopq", "--nodes a,b --seed x", "--nodes a,b --seconds 0",
    "--nodes a,b --loss 2 --", "--nodes a,b --los 2", "--nodes a,b --loss", "--loss 2",
  ])
  func `what makes no sense is refused as a mistake in usage`(line: String) {
    #expect {
      try Self.options(line)
    } throws: {
      ($0 as? LinkError)?.exitCode == 64
    }
  }
}
