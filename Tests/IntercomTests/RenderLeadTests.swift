import TestKit
import Testing

@testable import Intercom

/// How early decoding begins, learned from how long it takes.
@Suite struct RenderLeadTests {
  /// After so many renders, each as long as `took` says of its number.
  private func lead(after renders: Int, took: (Int) -> Int64) -> Int64 {
    var lead = RenderLead()
    for index in 0..<renders { lead.observe(tookNanoseconds: took(index)) }
    return lead.nanoseconds
  }

  @Test func `before anything is known there is time for a wake up and a decoding`() {
    #expect(lead(after: 63) { _ in 20_000 } == 300_000)
  }

  @Test func `quick renders are begun late`() {
    #expect(lead(after: 64) { _ in 20_000 } == 100_000)
  }

  @Test func `renders before their moment take no time`() {
    #expect(lead(after: 64) { _ in -20_000 } == 100_000)
  }

  @Test func `slow ones are covered but for one in a hundred`() {
    #expect(lead(after: 1024) { $0 % 80 == 0 ? 730_000 : 80_000 } == 800_000)
    #expect(lead(after: 1024) { $0 % 120 == 0 ? 730_000 : 80_000 } == 150_000)
  }

  @Test func `a machine that stalls is not helped by a lead`() {
    #expect(lead(after: 1024) { $0 % 2 == 0 ? 20_000_000 : 80_000 } == 150_000)
  }

  @Test func `a crowd that seldom falls due together has its room`() {
    var lead = RenderLead()
    func observe(_ renders: Int, crowd: Int64) {
      for _ in 0..<renders { lead.observe(tookNanoseconds: 80_000, crowdNanoseconds: crowd) }
    }
    observe(1024, crowd: 60_000)
    #expect(lead.nanoseconds == 200_000)
    observe(1, crowd: 910_000)
    #expect(lead.nanoseconds == 1_050_000)
    observe(2000, crowd: 60_000)
    #expect(lead.nanoseconds == 1_050_000)
    observe(40_000, crowd: 60_000)
    #expect(lead.nanoseconds == 200_000)
  }

  @Test func `a busy hour is forgotten`() {
    #expect(lead(after: 40_000) { $0 < 4000 ? 900_000 : 80_000 } == 150_000)
  }

  @Test func `any mix keeps its share of late renders`() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<20 {
      var lead = RenderLead()
      let spread = Int64.random(in: 50_000...1_200_000, using: &random)
      var late = 0
      for index in 0..<20_000 {
        let took = Int64.random(in: 0...spread, using: &random)
        if index >= 2048 && took > lead.nanoseconds { late += 1 }
        lead.observe(tookNanoseconds: took)
      }
      #expect(late < 20_000 / 60)
      #expect(lead.nanoseconds <= spread + 100_000)
    }
  }
}
