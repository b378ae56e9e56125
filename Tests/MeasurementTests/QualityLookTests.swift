import StatusSchema
import TestKit
import Testing

/// Which sound a drought of the radio does not explain.
@Suite struct QualityLookTests {
  /// Looks each 100 ms, at which the listener had made up so many frames of ten a look.
  private static func looks(_ concealed: [Int]) -> [QualityLook] {
    concealed.indices.map { index in
      var status = PeerStatus(name: "A", address: "10.77.0.1:5004", state: .connected)
      (status.received, status.concealed) = (index * 10, concealed[index])
      status.playoutDelayMilliseconds = 50
      let nanoseconds = Int64(index) * 100_000_000
      return QualityLook(moment: nanoseconds...nanoseconds + 1_000_000, status: status)
    }
  }

  @Test func `without a drought all counts`() {
    #expect(QualityLook.concealedOutside([], Self.looks([4, 4, 5, 7])) == 10)
  }

  @Test func `what a drought explains does not`() {
    // Looks at 200 and 300 ms: one that begins between them, and one whose sound is still due at the first.
    for drought: Range<Int64> in [250_000_000..<320_000_000, 100_000_000..<150_000_000] {
      #expect(QualityLook.concealedOutside([drought], Self.looks([0, 0, 0, 3, 3])) == 0)
      #expect(QualityLook.concealedOutside([drought], Self.looks([0, 0, 0, 3, 3, 4])) == 2)
    }
  }

  @Test func `a drought before or later explains nothing`() {
    for drought: Range<Int64> in [10_000_000..<120_000_000, 310_000_000..<390_000_000] {
      #expect(QualityLook.concealedOutside([drought], Self.looks([0, 0, 0, 3, 3])) == 7.5)
    }
  }

  @Test func `of no packets there is no share`() {
    #expect(QualityLook.concealedOutside([], []) == nil)
    #expect(QualityLook.concealedOutside([], Self.looks([2])) == nil)
  }
}
