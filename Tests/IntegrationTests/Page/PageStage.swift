import Foundation
import Remote
import StatusSchema

@testable import TestRig

/// Stations that talk, one of which serves its page to a browser that trusts it.
struct PageStage {
  let directory: TemporaryDirectory
  let stations: [Station]
  let browser: Browser

  /// The station with the page.
  var node: NodeProcess { stations[0].node }

  /// - Parameters:
  ///   - others: how many other stations there are, each of which speaks all the time.
  ///   - othersArguments: what they are started with, too.
  ///   - recordSeconds: room in the stations' ears.
  ///   - periodFrames: of the stations' JACK.
  ///   - arguments: more of the station with the page.
  init(
    others: Int, othersArguments: [String] = [], recordSeconds: Double = 2,
    periodFrames: Int = 256, arguments: [String] = [],
    browserArguments: [String] = []
  ) throws {
    directory = try TemporaryDirectory(prefix: "comlink-page")
    let ports = try LoopbackPorts.free(3 + others)
    var options = NodeProcess.Options(port: ports[0])
    options.arguments =
      [
        "--page", "127.0.0.1:\(ports[1])", "--page-trust", "127.0.0.1:\(ports[2])", "--role",
        "stage left", "--colour", "ff453a",
      ] + arguments
    let looks = [
      ("foh", "desk", "0a84ff"), ("monitor", "", "32d74b"), ("lights", "bridge", "ffd60a"),
    ]
    var stations = [
      try Station(
        "stage", periodFrames: periodFrames, options: options, recordSeconds: recordSeconds,
        in: directory)
    ]
    for index in 0..<others {
      let look = looks[index % looks.count]
      var options = NodeProcess.Options(port: ports[3 + index])
      options.peerPorts = Array(ports[3..<(3 + index)]) + [ports[0]]
      options.arguments = ["--role", look.1, "--colour", look.2] + othersArguments
      let station = try Station(
        look.0, periodFrames: periodFrames, options: options, recordSeconds: recordSeconds,
        in: directory)
      try station.prepareToSay(
        index == 0 ? Speech.sentences() : Speech.announcements(), loops: true)
      stations.append(station)
    }
    self.stations = stations
    for station in stations { try station.node.waitUntilConnected(peers: others, within: 30) }
    for station in stations.dropFirst() {
      _ = try station.node.ask(.talk(isOn: true))
      try station.mouth.start()
    }
    browser = try Browser(
      trusting: try Self.authority(at: ports[2], in: directory), arguments: browserArguments,
      in: directory)
  }

  /// The authority, as a phone fetches it.
  private static func authority(at port: Int, in directory: TemporaryDirectory) throws -> [UInt8] {
    try Scrape(port: port, path: "/comlink.crt").octets
  }

  /// An address that signs a phone in.
  func invitation(_ rights: PageRights = .operate, name: String? = nil) throws -> String {
    guard case .pageInvitation(let one) = try node.ask(.pageInvite(rights: rights, name: name))
    else { throw RigError.status(reason: "no invitation") }
    return one.addresses[0] + "#" + one.token
  }

  /// Where a phone gets to trust the page.
  var trustAddress: String {
    get throws {
      guard case .pageInvitation(let one) = try node.ask(.pageInvite(rights: .listen, name: nil))
      else { throw RigError.status(reason: "no invitation") }
      return one.trustAddresses[0]
    }
  }

  /// A page that is signed in and shows the station.
  func page(
    _ rights: PageRights = .operate, name: String? = nil, width: Int = 390, height: Int = 844
  ) throws -> BrowserPage {
    let page = try browser.open(
      try invitation(rights, name: name), width: width, height: height)
    try page.wait(
      "document.querySelector('[data-state=connected]') && document.querySelector('.talker')")
    return page
  }

  /// Waits until the node's status is so.
  func wait(_ what: String, _ condition: (Status) -> Bool) throws {
    try waitUntil(what, within: 10) { () throws(RigError) in condition(try node.status()) }
  }
}
