import Foundation
import StatusSchema

@testable import TestRig

/// A daemon in a namespace, on a JACK server of its own: shared memory and sockets in the file
/// system know no network namespaces.
struct LinkedNode {
  let server: JackServer
  let process: ChildProcess
  private let mouth: Probe
  private let controlPath: String
  private let directory: TemporaryDirectory

  init(
    _ name: String, at address: String, naming peer: String? = nil, in namespace: String,
    _ directory: TemporaryDirectory
  ) throws {
    server = try JackServer("comlink-\(name)", periodFrames: 256, in: directory)
    controlPath = directory.file("\(name).control")
    self.directory = directory
    let arguments =
      [
        "--name", name, "--policy", "open", "--no-discovery", "--listen", address, "--jack-server",
        server.name,
        "--control", controlPath, "--no-connect", "--state", directory.file("\(name).state"),
      ] + (peer.map { ["--peer", $0] } ?? [])
    process = try ChildProcess(
      "ip", ["netns", "exec", namespace, try Executables.path(of: "comlinkd")] + arguments,
      outputPath: directory.file("\(name).log"))
    mouth = try Probe(
      server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 1)
  }

  /// Lets a tone into the microphone for good.
  func talk() throws {
    try mouth.setSource(Speech.tone(hertz: 500, level: 0.3), loops: true)
    try mouth.waitForPort("comlink:mic", within: 10)
    try mouth.connect("mouth:out_0", to: "comlink:mic")
    try mouth.start()
  }

  /// What `comlink status` says of the only peer, nil until there is one.
  func peer() throws(RigError) -> PeerStatus? {
    try process.checkRunning()
    let remote = try ChildProcess(
      try Executables.path(of: "comlink"), ["status", "--json", "--control", controlPath],
      outputPath: directory.file("status.json"))
    guard try remote.wait(within: 20) == 0 else { return nil }
    let status = try? JSONDecoder().decode(Status.self, from: Data(remote.output.utf8))
    return status?.peers.first
  }
}
