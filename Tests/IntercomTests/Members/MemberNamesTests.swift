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
}
