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
    at places: (ContestantEnd, ContestantEnd), probes: (Probe, Probe),
    in directory: TemporaryDirectory
  ) throws(RigError) {
    guard let program = Self.program else { throw .missing(what: "jacktrip", hint: "apt-get") }
    let ports = try LoopbackPorts.free(2)
    let common = ["-n", "1", "--nojackportsconnect", "-J", "jacktrip"]
    let a = try places.0.start(
      program, ["-s", "-B", "\(ports[0])"] + common, role: Self.name, in: directory)
    pause(seconds: 0.5)
    let b = try places.1.start(
      program, ["-c", places.0.address, "-B", "\(ports[1])", "-P", "\(ports[0])"] + common,
      role: Self.name, in: directory)
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
