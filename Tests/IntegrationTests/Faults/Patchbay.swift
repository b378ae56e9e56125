import Glibc

@testable import TestRig

/// A JACK server, and a daemon `station` there whose ports a user patches.
struct Patchbay {
  static let label = "patch"

  private let directory: TemporaryDirectory
  private let server: JackServer

  init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    server = try JackServer("comlink-patch", periodFrames: 256, in: directory)
  }

  /// A client that is no card, so that only the user connects it.
  func ear() throws(RigError) -> Probe {
    let ear = try Probe(server: server.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: 0)
    try ear.start()
    return ear
  }

  /// Starts the daemon, and waits until it plays on the server's card.
  func daemon() throws(RigError) -> Daemon {
    let daemon = try Daemon(
      Self.label,
      ["--listen", "127.0.0.1:0", "--jack-server", server.name, "--jack-client", "station"],
      in: directory)
    try daemon.waitUntilReady()
    try waitUntilPlays(on: "system:playback_1", from: "mix_left")
    return daemon
  }

  /// As a user does it by hand.
  func connect(_ port: String, to other: String) throws(RigError) {
    try patch("jack_connect", port, other)
  }

  /// As a user does it by hand.
  func disconnect(_ port: String, from other: String) throws(RigError) {
    try patch("jack_disconnect", port, other)
  }

  private func patch(_ command: String, _ port: String, _ other: String) throws(RigError) {
    let patch = try ChildProcess(
      command, ["station:\(port)", other], environment: ["JACK_DEFAULT_SERVER": server.name],
      outputPath: directory.file("patch.log"))
    guard try patch.wait(within: 10) == 0 else {
      throw .launch(command: patch.command, reason: patch.output)
    }
  }

  /// What `jack_lsp` finds connected with one of the node's ports.
  func connections(of port: String) throws(RigError) -> String {
    let list = try ChildProcess(
      "jack_lsp", ["-c", "station:\(port)"], environment: ["JACK_DEFAULT_SERVER": server.name],
      outputPath: directory.file("lsp.log"))
    _ = try list.wait(within: 10)
    return list.output
  }

  /// Waits until the node's port is connected with the other.
  func waitUntilPlays(on other: String, from port: String) throws(RigError) {
    try waitUntil("\(port) to be connected with \(other)", within: 20) { () throws(RigError) in
      try connections(of: port).contains(other)
    }
  }

  /// Waits until JACK has freed the former daemon's name.
  func waitUntilGone(_ witness: Probe) throws(RigError) {
    try waitUntil("the former client to be gone", within: 20) { !witness.hasPort("station:mic") }
  }

  /// The file of connections, byte for byte as characters.
  var kept: String { text(ofFile: directory.file("\(Self.label).state") + "/ports") ?? "" }

  /// Waits until the file is as it should.
  func waitUntilKept(_ isSo: (String) -> Bool) throws(RigError) {
    try waitUntil("the connections to be kept", within: 10) { isSo(kept) }
  }
}
