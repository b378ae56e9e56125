public import Remote
public import StatusSchema

/// A `comlinkd` under test, with its control socket in a folder of its own.
public final class NodeProcess: Sendable {
  /// What a node is started with; unset values are left to the daemon's defaults.
  public struct Options: Sendable {
    /// UDP port.
    public var port: Int
    /// Address to listen on, an IPv6 one in brackets.
    public var address = "127.0.0.1"
    /// Ports of peers on 127.0.0.1 that this node names.
    public var peerPorts: [Int] = []
    /// Whom the node lets in; `open`: everybody, so that nodes need no group to talk.
    public var policy = "open"
    /// Whether it announces itself and looks for others, which a loopback address prevents all the same.
    public var discovers = false
    /// The network namespace to run in, which takes root; nil for our own.
    public var namespace: String?
    /// Another copy of the program than the one that was built.
    public var program: String?
    /// What starts it in turn, and becomes it.
    public var wrapper: [String] = []
    /// `2.5`, `5`, `10`, `20`, `40` or `60`.
    public var ptime: String?
    /// Target of the encoder.
    public var bitrateKilobits: Int?
    /// `lowdelay`, `voip` or `auto`.
    public var application: String?
    /// Milliseconds, or `auto`.
    public var playoutDelay: String?
    /// More arguments, as they are.
    public var arguments: [String] = []
    /// Added to the environment, for preloaded libraries.
    public var environment: [String: String] = [:]

    /// Creates options with the daemon's defaults.
    public init(port: Int) {
      self.port = port
    }
  }

  /// The node's name, which its peers see.
  public let name: String
  /// The JACK client name; ports are `CLIENT:mic`, `CLIENT:mix_left` ...
  public let client: String
  /// The daemon.
  public let process: ChildProcess
  /// Path of the control socket.
  public let controlPath: String
  private let directory: TemporaryDirectory

  /// Starts a node on a server; nothing is connected to its ports.
  ///
  /// - Throws: `RigError`.
  public convenience init(
    _ name: String, on server: JackServer, client: String = "comlink", options: Options,
    in directory: TemporaryDirectory
  ) throws(RigError) {
    try self.init(
      name, onServerNamed: server.name, client: client, options: options, in: directory)
  }

  /// Starts a node for a server that may not be there yet.
  ///
  /// - Throws: `RigError`.
  public init(
    _ name: String, onServerNamed server: String, client: String = "comlink", options: Options,
    in directory: TemporaryDirectory
  ) throws(RigError) {
    self.name = name
    self.client = client
    self.directory = directory
    controlPath = directory.file("\(name).control")
    var arguments = [
      "--name", name, "--listen", "\(options.address):\(options.port)", "--jack-server", server,
      "--jack-client", client, "--control", controlPath, "--no-connect",
      "--state", directory.file("\(name).state"), "--policy", options.policy,
      options.discovers ? "--discovery" : "--no-discovery",
    ]
    arguments += options.peerPorts.flatMap { ["--peer", "127.0.0.1:\($0)"] }
    if let ptime = options.ptime { arguments += ["--ptime", ptime] }
    if let bitrate = options.bitrateKilobits { arguments += ["--bitrate", "\(bitrate)"] }
    if let application = options.application { arguments += ["--application", application] }
    if let delay = options.playoutDelay { arguments += ["--playout-delay", delay] }
    let built = try Executables.path(of: "comlinkd")
    let program = options.program ?? built
    // `ip` becomes the daemon, so that the process is the daemon's.
    let command =
      options.wrapper + (options.namespace.map { ["ip", "netns", "exec", $0] } ?? [])
      + [program] + arguments + options.arguments
    process = try ChildProcess(
      command[0], Array(command.dropFirst()),
      environment: options.environment, outputPath: directory.file("\(name).log"))
  }

  /// The full name of one of the node's ports.
  public func port(_ name: String) -> String { "\(client):\(name)" }

  /// Asks the node for its status.
  ///
  /// - Throws: `RigError.ended` when the daemon is gone, `.status` when it gives no sense.
  public func status() throws(RigError) -> Status {
    guard case .status(let status) = try ask(.status) else {
      throw .status(reason: "\(name) gave no status")
    }
    return status
  }

  /// Asks the node.
  ///
  /// - Throws: `RigError.status` when it does not answer, or refuses.
  public func ask(_ request: ControlRequest) throws(RigError) -> ControlResponse {
    try process.checkRunning()
    let answer: ControlResponse
    do {
      var remote = try ControlClient(path: controlPath)
      answer = try remote.request(request)
    } catch {
      throw .status(reason: "\(name): \(error)")
    }
    if case .error(let words) = answer { throw .status(reason: "\(name): \(words)") }
    return answer
  }

  /// Waits until the node answers.
  ///
  /// - Throws: `RigError.timeout` with the end of the daemon's log.
  public func waitUntilReady(within seconds: Double) throws(RigError) {
    try waitUntil(
      "an answer of \(name)", within: seconds, interval: 0.02, detail: { process.outputTail() }
    ) { () throws(RigError) in
      try process.checkRunning()
      return (try? status()) != nil
    }
  }

  /// Asks a node to let this one in, once it is known; with `policy` `ask` on this side, nobody else comes along.
  ///
  /// - Throws: `RigError.timeout` with the end of the daemon's log.
  public func invite(_ peer: String, within seconds: Double) throws(RigError) {
    try waitUntil(
      "\(name)'s invitation to \(peer)", within: seconds, interval: 0.05,
      detail: { process.outputTail() }
    ) { () throws(RigError) in
      (try? ask(.invite(peer: peer))) == .ok
    }
  }

  /// Waits until the node is on its JACK server and has so many peers connected.
  ///
  /// - Throws: `RigError.timeout` with the end of the daemon's log.
  public func waitUntilConnected(peers count: Int, within seconds: Double) throws(RigError) {
    try waitUntil(
      "\(count) connected peers of \(name)", within: seconds, interval: 0.05,
      detail: { "\(situation)\n\(process.outputTail())" }
    ) { () throws(RigError) in
      try process.checkRunning()
      guard let status = try? status(), status.audio.state == .running else { return false }
      return status.peers.count { $0.state == .connected } >= count
    }
  }

  /// What the node says of its audio and peers, or why it says nothing, in a line.
  var situation: String {
    do {
      let status = try status()
      let peers = status.peers.map { "\($0.name) \($0.state.rawValue)" }
      return "audio \(status.audio.state.rawValue); peers: \(peers.joined(separator: ", "))"
    } catch {
      return "\(error)"
    }
  }
}
