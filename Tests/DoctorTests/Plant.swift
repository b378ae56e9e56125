import Foundation
import StatusSchema

@testable import Doctor

/// A system whose files are a test's, in a folder that goes with it.
final class Plant {
  let root: String

  init(_ files: [String: String] = [:]) throws {
    root = NSTemporaryDirectory() + "doctor-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    for (path, text) in files {
      let whole = URL(filePath: root + path)
      try FileManager.default.createDirectory(
        at: whole.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: whole)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func text(_ path: String) -> String? {
    try? String(contentsOfFile: root + path, encoding: .utf8)
  }

  func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
  }

  func system(
    patient: Patient = Plant.patient(), probes: KernelProbes = Plant.probes
  ) -> System {
    System(files: FileTree(root: root), probes: probes, patient: patient)
  }

  /// A kernel with which all is well.
  static let probes = KernelProbes(
    ringProblem: { nil }, isClockSynchronised: { true }, savesPower: { _ in false },
    disk: { _ in DiskFacts(freeBytes: 1 << 30, isReadOnly: false, isWritable: true) },
    jackServer: { .running(server: "default", sampleRate: 48_000, periodFrames: 128) })

  static func patient(status: Status? = nil, userID: UInt32 = 1000) -> Patient {
    var patient = Patient(userName: "maker", userID: userID)
    patient.status = status
    patient.process = status == nil ? nil : 42
    patient.statePath = "/var/lib/comlink"
    return patient
  }

  /// A daemon with which all is well, for ten minutes.
  static var status: Status {
    Status(
      node: NodeStatus(
        name: "A", version: "0.1.0", uptimeSeconds: 600, listen: "[::]:5004", ssrc: 1,
        ptimeMilliseconds: 10, bitrateKilobits: 64, application: "lowdelay"),
      audio: AudioStatus(
        state: .running, server: "default", client: "comlink", sampleRate: 48_000,
        periodFrames: 128),
      loop: LoopStatus(
        wakes: 1, enters: 1, wakeLatencyP50Microseconds: 30, wakeLatencyP99Microseconds: 90,
        scheduling: "fifo 60", memoryLocked: true),
      network: NetworkStatus(packetsSent: 0, packetsReceived: 0), peers: [])
  }
}
