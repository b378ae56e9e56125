import Foundation
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension RealNodeTests {
  /// A node's voice messages, mirrored to another node's REST by TLS, across a kill.
  @Suite struct UploadMirrorNodeTests {
    private static func send(_ milliseconds: Int, from node: NodeProcess) throws {
      func ask(_ request: VoiceMessageRequest) throws {
        if case .error(let words) = try node.ask(.voiceMessage(request)) {
          throw RigError.status(reason: words)
        }
      }
      try ask(.record)
      try waitUntil("a recording", within: 20) { () throws(RigError) in
        (try node.status().messages?.recording?.seconds ?? 0) * 1000 > Double(milliseconds)
      }
      try ask(.send(to: "B", upload: nil))
    }

    private static func waitForMessages(_ count: Int, at node: NodeProcess) throws {
      try waitUntil("\(count) voice messages at B", within: 60) { () throws(RigError) in
        try voices(at: node).count >= count
      }
    }

    /// Those that came to a node: from whom, how long.
    private static func voices(
      at node: NodeProcess
    ) throws(RigError) -> [(sender: String, seconds: Double)] {
      var request = MessageRequest()
      request.voice = true
      guard case .messages(let messages) = try node.ask(.messages(request)) else { return [] }
      return messages.compactMap { message in
        message.voice.map { (message.sender, $0.seconds) }
      }
    }

    @Test func `what A sends to B comes a second time, once, by way of C`() throws {
      let directory = try TemporaryDirectory(prefix: "comlink-mirror")
      let ports = try LoopbackPorts.free(5)
      var options = NodeProcess.Options(port: ports[2])
      options.arguments = [
        "--page", "127.0.0.1:\(ports[3])", "--page-trust", "127.0.0.1:\(ports[4])",
      ]
      let archive = try Station(
        "C", periodFrames: 256, options: options, recordSeconds: 0, in: directory)
      guard
        case .pageToken(let token) = try archive.node.ask(
          .pageToken(.new(name: "mirror", rights: .talk)))
      else { throw RigError.status(reason: "no token") }
      let (tokenFile, authorities) = (directory.file("token"), directory.file("crew.crt"))
      try Data("\(token.text)\n".utf8).write(to: URL(fileURLWithPath: tokenFile))
      try Data(try Scrape(port: ports[4], path: "/comlink.crt").octets)
        .write(to: URL(fileURLWithPath: authorities))

      options = NodeProcess.Options(port: ports[1])
      options.peerPorts = [ports[2]]
      let far = try Station(
        "B", periodFrames: 256, options: options, recordSeconds: 0, in: directory)
      options = NodeProcess.Options(port: ports[0])
      options.peerPorts = [ports[1], ports[2]]
      options.arguments = [
        "--upload-url", "https://127.0.0.1:\(ports[3])/api/v1", "--upload-token-file", tokenFile,
        "--upload-authorities", authorities, "--upload-from", "B=B",
      ]
      let near = try Station(
        "A", periodFrames: 256, options: options, recordSeconds: 0, in: directory)
      for station in [near, far, archive] {
        try station.node.waitUntilConnected(peers: 2, within: 30)
      }
      // Until a node's key is known nothing can be sealed for it.
      for station in [near, archive] {
        try waitUntil("B's key", within: 20) { () throws(RigError) in
          guard case .messages? = try? station.node.ask(.say(to: "B", text: "listen")) else {
            return false
          }
          return true
        }
      }
      try Self.send(300, from: near.node)
      try Self.waitForMessages(2, at: far.node)
      #expect(try near.node.status().messages?.mirror?.sent == 1)

      // The archive is away when the next one is said: it waits.
      archive.stop()
      try Self.send(700, from: near.node)
      try waitUntil("the failure in words", within: 30) { () throws(RigError) in
        try near.node.status().messages?.mirror?.problem?.contains("cannot be reached") == true
      }
    }
  }
}
