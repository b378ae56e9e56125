import TestRig

/// Two nodes, of which one starts, dies or loses its network, and how soon the other hears it (again).
struct MeshMeasurement {
  /// The node that is there has announced itself, and what it answered others may be said again (RFC 6762 §6:
  /// after 1 s).
  private static let calmSeconds = 3.0

  let bench: Bench
  let rounds: Int

  func run() throws(RigError) {
    Console.line("\nOn loopback, called by address:")
    try measureStatic()
    Console.line("\nIn two namespaces, found by DNS-SD in-process:")
    try measureDiscovered("discovered", hasAvahi: false)
    Console.line("\nThe same by avahi-daemon:")
    try measureDiscovered("discoveredByAvahi", hasAvahi: true)
  }

  private func measureStatic() throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    var options = (NodeProcess.Options(port: ports[0]), NodeProcess.Options(port: ports[1]))
    options.1.peerPorts = [ports[0]]
    let pair = try MeshPair(options, in: bench.directory)
    defer { pair.stop() }
    let times = try starts(of: pair)
    report("static", times, limits: (0.5, 2))
  }

  private func measureDiscovered(_ name: String, hasAvahi: Bool) throws(RigError) {
    // A state of their own, or they would know each other from the part before.
    let directory = try TemporaryDirectory(prefix: "comlink-mesh")
    let link = try LinkProcess([], in: directory)
    defer { _ = link.end() }
    let hosts = (0...1).map { side in
      AvahiHost(namespace: link.namespace(side), label: "\(name)\(side)", in: directory)
    }
    var daemons: [ChildProcess] = []
    defer { for daemon in daemons.reversed() { daemon.terminate() } }
    // Without a D-Bus of its own a namespace would have the machine's, and so its avahi-daemon.
    for host in hosts where hasAvahi {
      daemons.append(try host.startBus())
      daemons.append(try host.startAvahi())
    }
    let options = (Self.options(link, hosts, 0), Self.options(link, hosts, 1))
    let pair = try MeshPair(options, in: directory)
    defer { pair.stop() }
    try pair.makeGroup()
    report(name, try starts(of: pair, calmSeconds: Self.calmSeconds), limits: (1.5, 2))
    if !hasAvahi { try measureOutages(of: pair, link) }
  }

  private static func options(
    _ link: LinkProcess, _ hosts: [AvahiHost], _ side: Int
  ) -> NodeProcess.Options {
    var options = NodeProcess.Options(port: 5004)
    options.address = "0.0.0.0"
    options.namespace = link.namespace(side)
    options.policy = "group-only"
    options.discovers = true
    options.environment = hosts[side].environment
    return options
  }

  private func measureOutages(of pair: MeshPair, _ link: LinkProcess) throws(RigError) {
    for (name, outage) in [("linkDown", MeshPair.Outage.linkDown), ("switchOut", .switchOut)] {
      let times = Distribution(
        try (0..<rounds).map { _ throws(RigError) in
          // Calm enough that the outage of the round before is over for both.
          pause(seconds: Self.calmSeconds)
          return try pair.heardAfter(outage, of: link, seconds: 10)
        })
      bench.figures.add("mesh.\(name)10s.audioAfter.median", times.median, "s")
      bench.judge(
        "mesh.\(name)10s.audioAfter.worst", times.values.last ?? .nan, "s", atMost: 1)
    }
  }

  /// - Parameter calmSeconds: before each start.
  private func starts(
    of pair: MeshPair, calmSeconds: Double = 0
  ) throws(RigError) -> (starts: Distribution, restarts: Distribution) {
    var (starts, restarts) = ([Double](), [Double]())
    for _ in 0..<rounds {
      pause(seconds: calmSeconds)
      starts.append(try pair.startCaller(isNew: true))
      restarts.append(try pair.killAndRestartCaller())
      pair.endCaller()
    }
    return (Distribution(starts), Distribution(restarts))
  }

  private func report(
    _ name: String, _ times: (starts: Distribution, restarts: Distribution),
    limits: (start: Double, restart: Double)
  ) {
    bench.figures.add("mesh.\(name).startToAudio.median", times.starts.median, "s")
    bench.judge(
      "mesh.\(name).startToAudio.worst", times.starts.values.last ?? .nan, "s",
      atMost: limits.start)
    bench.figures.add("mesh.\(name).killToAudio.median", times.restarts.median, "s")
    bench.judge(
      "mesh.\(name).killToAudio.worst", times.restarts.values.last ?? .nan, "s",
      atMost: limits.restart)
  }
}
