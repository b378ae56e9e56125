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
    at places: (ContestantEnd, ContestantEnd), probes: (Probe, Probe),
    in directory: TemporaryDirectory
  ) throws(RigError) {
    guard let program = Self.program else { throw .missing(what: "Jamulus", hint: "apt-get") }
    let ports = try LoopbackPorts.free(3).map { "\($0)" }
    func start(
      _ name: String, _ arguments: [String], at place: ContestantEnd
    ) throws(RigError) -> ChildProcess {
      try place.start(
        program, ["-n"] + arguments, role: "jamulus-\(name)",
        environment: ["HOME": directory.path], in: directory)
    }
    func client(
      _ name: String, _ port: String, at place: ContestantEnd
    ) throws(RigError) -> ChildProcess {
      try start(
        name,
        ["-j", "-c", "\(places.0.address):\(ports[0])", "-p", port, "--clientname", "rig"]
          + ["--mutemyown", "-i", directory.file("jamulus-\(name).ini")], at: place)
    }
    // -F lets clients use packets of 64 frames.
    server = try start(
      "server", ["-s", "-F", "-p", ports[0], "--norecord", "--serverbindip", places.0.address],
      at: places.0)
    pause(seconds: 0.5)
    // One after the other: JACK names a client's socket by the client alone, whatever its server is.
    let first = try client("A", ports[1], at: places.0)
    try probes.0.waitForPort(voices.0, within: 10)
    ends = (first, try client("B", ports[2], at: places.1))
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
