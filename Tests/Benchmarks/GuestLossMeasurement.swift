import Foundation
import Remote
import StatusSchema
import TestRig

/// What a node makes up of a guest's speech where the network between them loses packets both ways, and how the node's
/// sound comes to the guest; needs root.
struct GuestLossMeasurement {
  private static let mostMadeUpPercent = 0.1
  private static let pagePort = 8443

  let bench: Bench
  let lossPercent: Double
  let seconds: Double

  func run() throws(RigError) {
    let link = try LinkProcess(["--loss", "\(lossPercent)", "--delay", "5"], in: bench.directory)
    let address = link.address(0)
    var options = NodeProcess.Options(port: 5004)
    (options.address, options.namespace) = (address, link.namespace(0))
    options.arguments = ["--page", "\(address):\(Self.pagePort)"]
    let station = try Station(
      "S", periodFrames: bench.options.period, options: options, recordSeconds: 1,
      in: bench.directory)
    let node = station.node
    try node.waitUntilReady(within: 20)
    try station.prepareToSay((0..<48_000).map { 0.1 * sin(Float($0) / 24) }, loops: true)
    _ = try node.ask(.talk(isOn: true))
    try station.mouth.start()
    guard case .pageInvitation(let invitation) = try node.ask(.pageInvite(rights: .talk, name: nil))
    else { throw .status(reason: "no invitation") }
    let phone = try ChildProcess(
      "ip",
      [
        "netns", "exec", link.namespace(1), try Executables.path(of: "comlink-bench"), "phone",
        address, "\(Self.pagePort)", invitation.token, "\(seconds + 8)",
      ], outputPath: bench.directory.file("phone.log"))
    try waitUntil("the phone talks", within: 20, detail: { phone.output }) { () throws(RigError) in
      try node.status().guests?.first?.isTalking == true
    }
    pause(seconds: 3)
    let before = try guest(of: node)
    bench.wait("\(lossPercent) % loss", seconds: seconds)
    let after = try guest(of: node)
    _ = try phone.wait(within: 30)
    let heard = phone.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    station.stop()
    _ = link.end()
    for (name, share) in zip(["missing", "late20", "late40", "late80"], heard) {
      bench.figures.add("guests.loss.phone.\(name)", share, "%")
    }
    let made = Double(after.concealed - before.concealed)
    bench.figures.add("guests.loss.frames", Double(after.received - before.received), "count")
    bench.figures.add("guests.loss.delay", after.playoutDelayMilliseconds, "ms")
    bench.judge(
      "guests.loss.madeUp", 100 * made / max(1, 100 * seconds), "%",
      atMost: Self.mostMadeUpPercent)
  }

  private func guest(of node: NodeProcess) throws(RigError) -> GuestStatus {
    guard let guest = try node.status().guests?.first else {
      throw .status(reason: "the phone has left")
    }
    return guest
  }
}
