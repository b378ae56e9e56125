/// One ``DiscoveryLoop`` after the other, until it is enough: one that failed, for want of descriptors as a rule, is followed by
/// another a second later; the wait doubles each time up to a minute, and a run of a minute makes it a second again.
struct DiscoveryRuns {
  private static let leastWaitNanoseconds: Int64 = 1_000_000_000
  private static let longestNanoseconds: Int64 = 60_000_000_000

  let mailbox: DiscoveryMailbox
  let tell: @Sendable (DiscoveryEvent) -> Void

  func run(_ service: ServiceDescription) {
    var service = service
    var waitNanoseconds = Self.leastWaitNanoseconds
    while true {
      let begun = monotonicNanoseconds()
      do throws(DiscoveryError) {
        var loop = DiscoveryLoop(try Avahi(), service, mailbox, tell)
        defer { service = loop.service }
        try loop.run()
        return
      } catch {
        if monotonicNanoseconds() - begun >= Self.longestNanoseconds {
          waitNanoseconds = Self.leastWaitNanoseconds
        }
        let seconds = waitNanoseconds / 1_000_000_000
        tell(.problem("\(error); discovery begins anew in \(seconds) s"))
      }
      guard mailbox.staysOpen(forNanoseconds: waitNanoseconds) else { return }
      waitNanoseconds = min(2 * waitNanoseconds, Self.longestNanoseconds)
    }
  }
}
