import TestRig

/// Two JackTrip 1.x in peer-to-peer mode, one channel, otherwise by default.
struct JackTripContestant: Contestant {
  static let name = "jacktrip"
  private static let program = ["jacktrip-cli", "jacktrip"].first {
    ChildProcess.path(of: $0) != nil
  }
  static let absence = program == nil ? "apt-get install jacktrip" : nil

  private let ends: (ChildProcess, ChildProcess)

  init(
    on servers: (JackServer, JackServer), probes: (Probe, Probe), in directory: TemporaryDirectory
  ) throws(RigError) {
    guard let program = Self.program else { throw .missing(what: "jacktrip", hint: "apt-get") }
    let ports = try LoopbackPorts.free(2)
    let common = ["-n", "1", "--nojackportsconnect", "-J", "jacktrip"]
    func start(_ arguments: [String], on server: JackServer) throws(RigError) -> ChildProcess {
      try ChildProcess(
        program, arguments + common,
        environment: ["JACK_DEFAULT_SERVER": server.name, "QT_QPA_PLATFORM": "offscreen"],
        outputPath: directory.file("jacktrip-\(server.name).log"))
    }
    let a = try start(["-s", "-B", "\(ports[0])"], on: servers.0)
    pause(seconds: 0.5)
    let b = try start(
      ["-c", "127.0.0.1", "-B", "\(ports[1])", "-P", "\(ports[0])"], on: servers.1)
    ends = (a, b)
    // The server's ports appear when its client has come.
    try probes.0.waitForPort(voices.0, within: 10)
    try probes.1.waitForPort(voices.1, within: 10)
  }

  var measured: ChildProcess { ends.0 }
  let microphones = ("jacktrip:send_1", "jacktrip:send_1")
  let voices = ("jacktrip:receive_1", "jacktrip:receive_1")

  func stop() {
    ends.0.terminate()
    ends.1.terminate()
  }
}
