import TestRig

/// Two nodes, of which one starts, dies or loses its network, and how soon the other hears it (again).
struct MeshMeasurement {
  let bench: Bench
  let rounds: Int

  func run() throws(RigError) {
    Console.line("\nOn loopback, called by address:")
    try measureStatic()
    Console.line("\nIn two namespaces, found by DNS-SD:")
    try measureDiscovered()
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

  private func measureDiscovered() throws(RigError) {
    let link = try LinkProcess([], in: bench.directory)
    defer { _ = link.end() }
    var options = (NodeProcess.Options(port: 5004), NodeProcess.Options(port: 5004))
    (options.0.address, options.1.address) = ("0.0.0.0", "0.0.0.0")
    (options.0.namespace, options.1.namespace) = (link.namespace(0), link.namespace(1))
    (options.0.policy, options.1.policy) = ("group-only", "group-only")
    (options.0.discovers, options.1.discovers) = (true, true)
    let pair = try MeshPair(options, in: bench.directory)
    defer { pair.stop() }
    try pair.makeGroup()
    report("discovered", try starts(of: pair), limits: (1.5, 2))
    let outages = Distribution(
      try (0..<rounds).map { _ throws(RigError) in try pair.linkDown(of: link, seconds: 10) })
    bench.figures.add("mesh.linkDown10s.audioAfter.median", outages.median, "s")
    bench.judge(
      "mesh.linkDown10s.audioAfter.worst", outages.values.last ?? .nan, "s", atMost: 1)
  }

  private func starts(
    of pair: MeshPair
  ) throws(RigError) -> (starts: Distribution, restarts: Distribution) {
    var (starts, restarts) = ([Double](), [Double]())
    for _ in 0..<rounds {
      starts.append(try pair.startCaller())
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
