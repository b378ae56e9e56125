import Media
import TestKit
import Testing

@testable import Intercom

/// How a talk begins that nothing is known of: wherever in the two ends' beats, its first words are whole.
@Suite struct StreamStartTests {
  @Test(arguments: [64, 128, 256, 480])
  func `the first packets are heard wherever`(periodFrames: Int) throws {
    for step in 0..<24 {
      let network = VirtualNetwork()
      let anna = try VirtualNode(
        "Anna", at: .host(1), beat: VirtualNode.Beat(periodFrames: periodFrames))
      let bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
      anna.mic = Tone(hertz: 440).sample
      network.add(anna)
      network.run(seconds: 0.5 + Double(step) * 0.000_71)
      network.add(bert)
      try anna.meet(bert, network)
      network.run(seconds: 0.5)
      let stream = try #require(bert.peer(at: .host(1))?.stream)
      let heard = stream.statistics
      #expect(heard.played > 30)
      #expect(
        heard.late == 0 && heard.concealedFrames == 0 && heard.insertions == 0,
        "step \(step): late \(heard.late), concealed \(heard.concealedFrames), inserted \(heard.insertions)"
      )
    }
  }
}
