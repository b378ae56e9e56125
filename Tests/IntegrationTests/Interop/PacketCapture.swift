import Foundation
import Glibc

@testable import TestRig

/// What goes over the loopback interface on some UDP ports, written to a file by `dumpcap`.
struct PacketCapture {
  /// Whether packets may be captured here: as root, or by the capabilities Debian can give `dumpcap`.
  static let isPermitted: Bool = {
    guard let directory = try? TemporaryDirectory(prefix: "comlink-capture"),
      let trial = try? ChildProcess(
        "dumpcap", ["-q", "-i", "lo", "-a", "duration:0", "-w", directory.file("trial.pcapng")],
        outputPath: directory.file("trial.log"))
    else { return false }
    return (try? trial.wait(within: 20)) == 0
  }()

  /// The file, complete after `stop`.
  let path: String
  private let process: ChildProcess

  /// Starts capturing and returns when it does.
  ///
  /// - Throws: `RigError`.
  init(udpPorts: [Int], in directory: TemporaryDirectory) throws(RigError) {
    path = directory.file("capture.pcapng")
    let filter = udpPorts.map { "udp port \($0)" }.joined(separator: " or ")
    process = try ChildProcess(
      "dumpcap", ["-q", "-i", "lo", "-B", "16", "-f", filter, "-w", path],
      outputPath: directory.file("dumpcap.log"))
    let started = process
    try waitUntil("dumpcap to capture", within: 20, detail: { started.outputTail() }) {
      () throws(RigError) in
      try started.checkRunning()
      return started.output.contains("File: ")
    }
  }

  /// Ends capturing; everything sent before is in the file.
  ///
  /// - Throws: `RigError`; `.status` when packets were lost on the way to the file.
  func stop() throws(RigError) {
    // dumpcap looks at its packets a few times a second.
    pause(seconds: 0.5)
    process.send(signal: SIGINT)
    guard try process.wait(within: 20) == 0 else {
      throw .ended(
        command: process.command, status: process.endStatus ?? 255, output: process.outputTail())
    }
    guard process.output.contains("/0 (") else {
      throw .status(reason: "dumpcap lost packets: \(process.outputTail())")
    }
  }
}
