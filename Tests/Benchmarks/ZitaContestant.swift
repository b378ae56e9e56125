import TestRig

/// zita-njbridge, one way: a sender at the first end, a receiver at the second; uncompressed, by default.
struct ZitaContestant: Contestant {
  static let name = "zita-njbridge"
  static let absence =
    ChildProcess.path(of: "zita-j2n") == nil ? "apt-get install zita-njbridge" : nil

  private let ends: (ChildProcess, ChildProcess)

  init(
    at places: (ContestantEnd, ContestantEnd), probes: (Probe, Probe),
    in directory: TemporaryDirectory
  ) throws(RigError) {
    let port = "\(try LoopbackPorts.free(1)[0])"
    func start(_ program: String, _ name: String, at place: ContestantEnd) throws(RigError)
      -> ChildProcess
    {
      try place.start(
        program,
        ["--jserv", place.server.name, "--jname", name, "--chan", "1", places.1.address, port],
        role: name, in: directory)
    }
    let receiver = try start("zita-n2j", "n2j", at: places.1)
    try probes.1.waitForPort(voices.1, within: 10)
    ends = (try start("zita-j2n", "j2n", at: places.0), receiver)
    try probes.0.waitForPort(microphones.0, within: 10)
  }

  var measured: ChildProcess { ends.0 }
  /// Nobody listens at the first end, and nobody speaks at the second.
  let microphones = ("j2n:in_1", "")
  let voices = ("", "n2j:out_1")

  func stop() {
    ends.0.terminate()
    ends.1.terminate()
  }
}
