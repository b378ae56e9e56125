import Testing

@testable import comlink_link

@Suite struct SwitchOrderTests {
  private static let nodes = ["a", "b", "c", "d"]

  @Test(arguments: [
    ("split a,b", [1, 1, 0, 0]), ("split d a,c", [2, 0, 2, 1]), ("split b  ", [0, 1, 0, 0]),
  ])
  func `a split gives each node its part`(line: String, parts: [Int]) {
    #expect(SwitchOrder(line, nodes: Self.nodes) == .split(parts))
  }

  @Test func `a join ends it`() {
    #expect(SwitchOrder("join", nodes: Self.nodes) == .join)
  }

  @Test(arguments: [
    "", "split", "split e", "split a,a", "split a a", "split a,,b", "join a", "cut",
  ])
  func `what makes no sense is no order`(line: String) {
    #expect(SwitchOrder(line, nodes: Self.nodes) == nil)
  }
}
