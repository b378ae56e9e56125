import Cryptography
import Habits
import Testing

@testable import Intercom

/// What members are called who come and go in crowds.
@Suite struct MemberNamesTests {
  private func passer(_ number: Int) -> NodeID { .named("passer \(number)") }

  @Test func `names of those who are away are bounded`() throws {
    var names = MemberNames()
    let here = NodeID.named("here")
    let isHere = { $0 == here }
    #expect(names.name(of: here, wish: "Bert", isHere: isHere) == "Bert")
    var numbers: Set<String> = []
    for number in 0..<1000 {
      numbers.insert(names.name(of: passer(number), wish: "Bert", isHere: isHere))
    }
    #expect(numbers.count < 257 && !numbers.contains("Bert"))
    #expect(names.name(of: here, wish: "Bert", isHere: isHere) == "Bert")
  }

  @Test func `beyond the bound each who comes takes one name and no more`() {
    var names = MemberNames()
    var called: [NodeID: String] = [:]
    for number in 0..<256 {
      called[passer(number)] = names.name(of: passer(number), wish: "Bert") { _ in false }
    }
    #expect(Set(called.values).count == 256)
    for number in 256..<260 {
      let before = names.memory.entries
      _ = names.name(of: passer(number), wish: "Bert") { _ in false }
      let lost = before.filter { names.memory.entries[$0.key] != $0.value }
      #expect(lost.count == 1 && names.memory.entries.count == 256)
    }
  }

  @Test func `the name of one that was forgotten is that of the first that had a number for it`() {
    let wishes = ["Bert", "Bert", "Bert", "Carl"]
    let all = wishes.indices.map { NodeID.named("\($0)") }
    for here in [[1, 2, 3], [2, 3], []] {
      var names = MemberNames()
      for (node, wish) in zip(all, wishes) { _ = names.name(of: node, wish: wish) { _ in false } }
      let isHere: (NodeID) -> Bool = { node in here.contains { all[$0] == node } }
      // Who is here has it before who is away.
      let heir = here.first ?? 1
      #expect(names.free(all[0], isHere: isHere) == all[heir], "\(here)")
      #expect(names.memory.entries[all[heir]]?.name == "Bert")
      #expect(names.memory.entries.count == 3 && names.memory.entries[all[3]]?.name == "Carl")
      // A number that nobody has is free, and nobody is called otherwise for it.
      #expect(names.free(all[heir == 1 ? 2 : 1], isHere: isHere) == nil)
      #expect(names.memory.entries[all[heir]]?.name == "Bert")
    }
  }
}
