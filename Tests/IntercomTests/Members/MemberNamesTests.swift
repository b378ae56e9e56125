import Cryptography
import Testing

@testable import Intercom

/// What members are called who come and go in crowds.
@Suite struct MemberNamesTests {
  private func passer(_ number: Int) -> Member {
    Member(node: .named("passer \(number)"), name: "Bert", nowNanoseconds: 0)
  }

  @Test func `names of those who are away are bounded`() throws {
    var names = MemberNames()
    let here = Member(node: .named("here"), name: "Bert", nowNanoseconds: 0)
    let members = [here.node: here]
    #expect(names.name(of: here, wish: "Bert", among: members) == "Bert")
    var numbers: Set<String> = []
    for number in 0..<1000 {
      numbers.insert(names.name(of: passer(number), wish: "Bert", among: members))
    }
    #expect(numbers.count < 257 && !numbers.contains("Bert"))
    #expect(names.name(of: here, wish: "Bert", among: members) == "Bert")
  }

  @Test func `beyond the bound each who comes takes one name and no more`() {
    var names = MemberNames()
    var called: [NodeID: String] = [:]
    for number in 0..<256 {
      let member = passer(number)
      called[member.node] = names.name(of: member, wish: "Bert", among: [:])
    }
    #expect(Set(called.values).count == 256)
    for number in 256..<260 {
      let before = names.memory.entries
      let member = passer(number)
      _ = names.name(of: member, wish: "Bert", among: [:])
      let lost = before.filter { names.memory.entries[$0.key] != $0.value }
      #expect(lost.count == 1 && names.memory.entries.count == 256)
    }
  }

  @Test func `the name of one that was forgotten is that of the first that had a number for it`() {
    let wishes = ["Bert", "Bert", "Bert", "Carl"]
    let all = wishes.indices.map { Member(node: .named("\($0)"), name: "", nowNanoseconds: 0) }
    for here in [[1, 2, 3], [2, 3], []] {
      var names = MemberNames()
      for (member, wish) in zip(all, wishes) { _ = names.name(of: member, wish: wish, among: [:]) }
      let members = Dictionary(uniqueKeysWithValues: here.map { (all[$0].node, all[$0]) })
      // Who is here has it before who is away.
      let heir = here.first ?? 1
      #expect(names.free(all[0].node, among: members) == all[heir].node, "\(here)")
      #expect(names.memory.entries[all[heir].node]?.name == "Bert")
      #expect(names.memory.entries.count == 3 && names.memory.entries[all[3].node]?.name == "Carl")
      // A number that nobody has is free, and nobody is called otherwise for it.
      #expect(names.free(all[heir == 1 ? 2 : 1].node, among: members) == nil)
      #expect(names.memory.entries[all[heir].node]?.name == "Bert")
    }
  }
}
