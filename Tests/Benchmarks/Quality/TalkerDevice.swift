import Foundation
import TestRig

/// What the talker's machine sent, by its network device.
struct TalkerDevice {
  private struct Device: Decodable {
    struct Statistics: Decodable {
      struct Counter: Decodable {
        var bytes: Int
        var packets: Int
      }
      var tx: Counter
    }
    var stats64: Statistics
  }

  /// IP packets and their octets, headers included.
  struct Reading {
    var packets: Int
    var octets: Int
  }

  private static let ethernetOctets = 14

  /// Its network namespace.
  let namespace: String
  let directory: TemporaryDirectory

  /// Everything sent so far.
  ///
  /// - Throws: `RigError`.
  func read() throws(RigError) -> Reading {
    let command = try ChildProcess(
      "ip", ["-netns", namespace, "-statistics", "-json", "link", "show", "dev", "eth0"],
      outputPath: directory.file("device.json"))
    guard try command.wait(within: 5) == 0,
      let device = try? JSONDecoder().decode([Device].self, from: Data(command.output.utf8)).first
    else { throw .status(reason: "the counters of the talker's device: \(command.outputTail())") }
    let sent = device.stats64.tx
    return Reading(
      packets: sent.packets, octets: sent.bytes - sent.packets * Self.ethernetOctets)
  }
}
