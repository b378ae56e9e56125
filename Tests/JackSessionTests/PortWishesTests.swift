import Audio
import Testing

@testable import JackSession

struct PortWishesTests {
  private static let (anna, bert) = (PeerSlot.all[5], PeerSlot.all[2])
  private static let second: Int64 = 1_000_000_000

  private func names(_ asked: [(slot: PeerSlot, portName: String)]) -> [String] {
    asked.map(\.portName)
  }

  @Test
  func `what was refused is asked for again after ten seconds, and until it is there`() {
    var wishes = PortWishes<PeerSlot>()
    wishes.wish("peer_anna", for: Self.anna)
    wishes.wish("peer_bert", for: Self.bert)
    let isNews = wishes.settle(Self.anna, isRefused: true, nowNanoseconds: 0)
    let isOther = wishes.settle(Self.bert, isRefused: false, nowNanoseconds: 0)
    #expect(isNews && !isOther)
    #expect(wishes.refused == [Self.anna])
    #expect(names(wishes.due(nowNanoseconds: 9 * Self.second)) == [])
    #expect(names(wishes.due(nowNanoseconds: 10 * Self.second)) == ["peer_anna"])
    let isNewsAgain = wishes.settle(Self.anna, isRefused: true, nowNanoseconds: 10 * Self.second)
    #expect(!isNewsAgain)
    #expect(names(wishes.due(nowNanoseconds: 19 * Self.second)) == [])
    #expect(names(wishes.due(nowNanoseconds: 20 * Self.second)) == ["peer_anna"])
    _ = wishes.settle(Self.anna, isRefused: false, nowNanoseconds: 20 * Self.second)
    #expect(wishes.refused.isEmpty)
    #expect(names(wishes.due(nowNanoseconds: 40 * Self.second)) == [])
  }

  @Test
  func `another server is asked for all of it, by the names as they are now`() {
    var wishes = PortWishes<PeerSlot>()
    wishes.wish("peer_anna", for: Self.anna)
    wishes.wish("peer_bert", for: Self.bert)
    wishes.wish("peer_carl", for: Self.anna)
    #expect(names(wishes.all) == ["peer_bert", "peer_carl"])
  }

  @Test
  func `who has left wants no port`() {
    var wishes = PortWishes<PeerSlot>()
    wishes.wish("peer_anna", for: Self.anna)
    _ = wishes.settle(Self.anna, isRefused: true, nowNanoseconds: 0)
    wishes.wish(nil, for: Self.anna)
    #expect(wishes.refused.isEmpty && names(wishes.all) == [])
    #expect(names(wishes.due(nowNanoseconds: 60 * Self.second)) == [])
    wishes.wish("peer_anna", for: Self.anna)
    let isNews = wishes.settle(Self.anna, isRefused: true, nowNanoseconds: 0)
    #expect(isNews)
  }
}
