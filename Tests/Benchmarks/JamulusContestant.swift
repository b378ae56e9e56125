import TestRig

/// Two Jamulus clients and the server between them; the clients' settings are the defaults.
struct JamulusContestant: Contestant {
  static let name = "jamulus"
  private static let program = ["Jamulus", "jamulus", "jamulus-headless"].first {
    ChildProcess.path(of: $0) != nil
  }
  static let absence = program == nil ? "apt-get install jamulus" : nil

  private let server: ChildProcess
  private let ends: (ChildProcess, ChildProcess)

  init(
    on servers: (JackServer, JackServer), probes: (Probe, Probe), in directory: TemporaryDirectory
  ) throws(RigError) {
    guard let program = Self.program else { throw .missing(what: "Jamulus", hint: "apt-get") }
    let ports = try LoopbackPorts.free(3).map { "\($0)" }
    func start(_ name: String, _ arguments: [String], on jack: String) throws(RigError)
      -> ChildProcess
    {
      try ChildProcess(
        program, ["-n"] + arguments,
        environment: [
          "JACK_DEFAULT_SERVER": jack, "QT_QPA_PLATFORM": "offscreen", "HOME": directory.path,
        ],
        outputPath: directory.file("jamulus-\(name).log"))
    }
    func client(_ name: String, _ port: String, on jack: String) throws(RigError) -> ChildProcess {
      try start(
        name,
        ["-j", "-c", "127.0.0.1:\(ports[0])", "-p", port, "--clientname", "rig", "--mutemyown"]
          + ["-i", directory.file("jamulus-\(name).ini")], on: jack)
    }
    // -F lets clients use packets of 64 frames.
    server = try start(
      "server", ["-s", "-F", "-p", ports[0], "--norecord", "--serverbindip", "127.0.0.1"], on: "")
    pause(seconds: 0.5)
    // One after the other: JACK names a client's socket by the client alone, whatever its server is.
    let first = try client("A", ports[1], on: servers.0.name)
    try probes.0.waitForPort(voices.0, within: 10)
    ends = (first, try client("B", ports[2], on: servers.1.name))
    try probes.1.waitForPort(voices.1, within: 10)
  }

  var measured: ChildProcess { ends.0 }
  let microphones = ("Jamulus rig:input left", "Jamulus rig:input left")
  let voices = ("Jamulus rig:output left", "Jamulus rig:output left")

  func stop() {
    ends.0.terminate()
    ends.1.terminate()
    server.terminate()
  }
}
