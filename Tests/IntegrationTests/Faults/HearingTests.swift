import Testing

extension FaultTests {
  /// What counts as an undisturbed talk in the tests beside this one.
  @Suite struct HearingTests {
    private static let undisturbed = OngoingTalk.Hearing(
      segments: 10, understoodShare: 1, received: 400, lost: 2, concealed: 4)

    @Test func `a talk that arrives is undisturbed`() {
      #expect(Self.undisturbed.isUndisturbed)
      #expect(Self.undisturbed.concealedShare < 0.01)
    }

    @Test func `a talk of which a quarter is made up is disturbed`() {
      var hearing = Self.undisturbed
      hearing.concealed = 100
      #expect(!hearing.isUndisturbed)
    }

    @Test func `a talk that is lost, not understood or hardly there is disturbed`() {
      var (lossy, garbled, short) = (Self.undisturbed, Self.undisturbed, Self.undisturbed)
      lossy.lost = 40
      garbled.understoodShare = 0.5
      short.received = 50
      #expect(!lossy.isUndisturbed && !garbled.isUndisturbed && !short.isUndisturbed)
    }
  }
}
