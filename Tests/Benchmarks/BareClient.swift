import TestRig

/// A client that only copies its input, on a server of its own: its xruns are the machine's.
struct BareClient {
  private let server: JackServer
  private let client: Probe

  init(of bench: Bench) throws(RigError) {
    server = try JackServer(
      "comlink-bare", periodFrames: bench.options.period, in: bench.directory)
    client = try Probe(
      server: server.name, name: "bare", inputs: 1, outputs: 1, recordSeconds: 0,
      mode: .passThrough)
    try client.start()
  }

  /// Since the start.
  var xruns: Int { client.xruns }

  func stop() {
    client.stop()
    server.stop()
  }
}
