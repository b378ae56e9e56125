import Lines
import RTP
import Testing

@testable import Intercom

/// What the media path knows of a member's lines.
@Suite struct MemberLinesTests {
  private static func line(_ number: Int) -> LineSet {
    var set: LineSet = []
    set.insert(line: number)
    return set
  }

  @Test func `a packet for several lines is heard where the loudest of them is`() {
    var member = LineRouting.Member(addressed: .everyone, gains: [1, 0.5, 2, 0, 1])
    (member.pans, member.places) = ([0, -1, 0.5, 1, -0.25], [0, 7, 2, 3, nil])
    let lines = MemberLines(member)
    #expect(lines.pan(of: nil) == 0 && lines.gain(of: nil) == 1)
    #expect(lines.pan(of: Self.line(1)) == -1 && lines.pan(of: Self.line(4)) == -0.25)
    #expect(lines.pan(of: Self.line(1).union(Self.line(2)).union(Self.line(4))) == 0.5)
    #expect(lines.pan(of: Self.line(3)) == 0, "not heard")
    #expect(lines.places(of: Self.line(1).union(Self.line(3))) == 1 << 7, "as far as heard")
    #expect(lines.places(of: Self.line(4)) == 0 && lines.places(of: nil) == 1)
    // Who told nothing is in the middle.
    #expect(MemberLines().pan(of: nil) == 0 && MemberLines(.unknown).pan(of: Self.line(2)) == 0)
  }
}
