import Foundation
import StatusSchema
import Testing

@testable import TestRig

/// What real nodes tell Prometheus, judged by Prometheus' own tool.
@Suite(.serialized) struct MetricsTests {
  @Test func `promtool finds no fault in the figures of nodes that talk`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let ports = try LoopbackPorts.free(3)
    var options = NodeProcess.Options(port: ports[0])
    options.peerPorts = [ports[1]]
    options.arguments = ["--metrics", "127.0.0.1:\(ports[2])"]
    let a = try Station("A", periodFrames: 256, options: options, recordSeconds: 5, in: directory)
    // A name that would break lines and labels.
    let b = try Station(
      "B\"\\{x}", periodFrames: 256, options: NodeProcess.Options(port: ports[1]), recordSeconds: 5,
      in: directory)
    try a.node.waitUntilConnected(peers: 1, within: 30)
    try b.node.waitUntilConnected(peers: 1, within: 30)

    let scrape = try Scrape(port: ports[2])
    #expect(scrape.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(scrape.body.contains("\ncomlink_jack_running 1\n"))
    let peer = try #require(try a.node.status().peers.first)
    let id = try #require(peer.id)
    let labels = #"peer="B\"\\{x}",id="\#(id)""#
    #expect(scrape.body.contains("\ncomlink_peer_state{\(labels),state=\"connected\"} 1\n"))
    #expect(try Self.complaints(on: scrape.body, in: directory) == "")
  }

  @Test func `promtool is asked well: it finds planted faults`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let planted = "# TYPE comlink_x counter\ncomlink_x 1\n"
    #expect(try Self.complaints(on: planted, in: directory).contains("_total"))
    #expect(try Self.complaints(on: "comlink_x{ 1\n", in: directory).contains("error"))
  }

  /// What `promtool check metrics` says; nothing when all is well.
  private static func complaints(
    on text: String, in directory: TemporaryDirectory
  ) throws -> String {
    let file = directory.file("metrics")
    try Data(text.utf8).write(to: URL(filePath: file))
    let input = try FileHandle(forReadingFrom: URL(filePath: file))
    // Where ./dev test puts it.
    let own = "\(Executables.sourceRoot)/.build/promtool"
    let isOwn = FileManager.default.isExecutableFile(atPath: own)
    let tool = try ChildProcess(
      isOwn ? own : "promtool", ["check", "metrics"], outputPath: directory.file("promtool.log"),
      standardInput: input.fileDescriptor)
    let code = try tool.wait(within: 60)
    return code == 0 ? "" : "\(tool.output) (exit code \(code))"
  }
}
