import Foundation
import Remote
import StatusSchema

@testable import TestRig

/// Three nodes on one JACK server, each with a tone of its own at its microphone; `A` records.
struct RecordedStage {
  /// What a node should know of another.
  enum Expectation {
    case member(String, isRecording: Bool)
  }

  /// The tones of `A`, `B` and `C`.
  static let hertz = [440.0, 700.0, 1100.0]

  let directory: TemporaryDirectory
  /// Records `A`'s microphone and the port of `B` at `A`.
  let ear: Probe
  private let server: JackServer
  private let mouth: Probe
  private let nodes: [NodeProcess]

  init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    server = try JackServer("stage", periodFrames: 256, portMaximum: 128, in: directory)
    mouth = try Probe(server: server.name, name: "mouth", inputs: 0, outputs: 3, recordSeconds: 0)
    ear = try Probe(server: server.name, name: "ear", inputs: 2, outputs: 0, recordSeconds: 60)
    let ports = try LoopbackPorts.free(3)
    var nodes: [NodeProcess] = []
    for (index, name) in ["A", "B", "C"].enumerated() {
      var options = NodeProcess.Options(port: ports[index])
      options.peerPorts = index == 0 ? [] : [ports[0]]
      nodes.append(
        try NodeProcess(name, on: server, client: name, options: options, in: directory))
      // It swells slowly, so that no two pieces are alike.
      let tone = Speech.lasting(20, Speech.tone(hertz: Self.hertz[index], level: 0.3))
        .enumerated().map { $1 * (0.75 + 0.25 * Float(sin(Double($0) / 110_000))) }
      try mouth.setSource(tone, output: index, loops: true)
    }
    self.nodes = nodes
    for (index, node) in nodes.enumerated() {
      try mouth.waitForPort(node.port("mic"), within: 20)
      try mouth.connect("mouth:out_\(index)", to: node.port("mic"))
    }
    try mouth.start()
    for node in nodes { try node.waitUntilConnected(peers: 2, within: 30) }
    try waitUntil("sound of both at A", within: 30, interval: 0.1) { () throws(RigError) in
      try nodes[0].status().peers.allSatisfy { $0.received > 100 }
    }
  }

  func stop() {
    for node in nodes { node.process.terminate() }
    server.stop()
  }

  func node(_ name: String) throws(RigError) -> NodeProcess {
    guard let node = nodes.first(where: { $0.name == name }) else {
      throw .status(reason: "no node \(name)")
    }
    return node
  }

  /// Begins to record at `A`; returns the folder.
  func start(format: String) throws(RigError) -> String {
    var request = RecordingRequest(directory: directory.path)
    request.format = format
    request.keepFreeBytes = 0
    guard case .recording(let path) = try nodes[0].ask(.recordStart(request)) else {
      throw .status(reason: "no folder")
    }
    return path
  }

  /// Waits until the files have so much sound.
  func waitForRecorded(seconds: Double) throws(RigError) {
    try waitUntil("\(seconds) s recorded", within: 60, interval: 0.1) { () throws(RigError) in
      try nodes[0].status().recording?.seconds ?? 0 >= seconds
    }
  }

  /// Waits until nodes know something of another.
  func expect(_ expectation: Expectation, at names: [String]) throws(RigError) {
    guard case .member(let name, let isRecording) = expectation else { return }
    for node in nodes where names.contains(node.name) {
      try waitUntil("\(node.name) to know that \(name) records: \(isRecording)", within: 10) {
        () throws(RigError) in
        try node.status().peers.first { $0.name == name }?.isRecording == isRecording
      }
    }
  }

  /// Lets the ear hear `A`'s microphone and what it plays of `B`.
  func listen() throws(RigError) {
    try ear.connect("mouth:out_0", to: "ear:in_0")
    try ear.connect("A:peer_B", to: "ear:in_1")
    try ear.start()
  }

  /// How far into the ear's recording of an input a file begins, by a piece that is bit for bit the same.
  func offset(of file: [Float], input: Int) throws(RigError) -> Int {
    let heard = ear.recording(input)
    let (place, length) = (file.count / 2, 2000)
    for first in 0..<max(0, heard.count - length) {
      let isSame = (0..<length).allSatisfy { abs(heard[first + $0] - file[place + $0]) < 1e-6 }
      if isSame { return first - place }
    }
    throw .status(reason: "the file's middle is nowhere in what input \(input) heard")
  }
}
