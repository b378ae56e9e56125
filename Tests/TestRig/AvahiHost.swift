import Foundation
import Glibc

/// A network namespace in which dbus-daemon and avahi-daemon can run,
/// beside those of the machine and of other namespaces.
public final class AvahiHost: Sendable {
  /// The programs that it starts.
  public static let programs = ["ip", "dbus-daemon", "avahi-daemon"]

  /// What a program in the namespace needs to find the daemon.
  public var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(bus)"] }

  private let namespace: String
  private let label: String
  private let directory: TemporaryDirectory
  private var bus: String { directory.file("\(label).bus") }

  /// A host that nothing runs on yet.
  ///
  /// - Parameter label: the files in the directory begin with it.
  public init(namespace: String, label: String, in directory: TemporaryDirectory) {
    self.namespace = namespace
    self.label = label
    self.directory = directory
  }

  /// Starts dbus-daemon.
  ///
  /// - Throws: `RigError`.
  public func startBus() throws(RigError) -> ChildProcess {
    let configuration = try write(
      """
      <busconfig><type>system</type><listen>unix:path=\(bus)</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
      """, to: "bus.conf")
    let process = try ChildProcess(
      "ip",
      [
        "netns", "exec", namespace, "dbus-daemon", "--config-file=\(configuration)", "--nofork",
        "--nopidfile",
      ], outputPath: directory.file("\(label).bus.log"))
    try waitUntil("dbus-daemon", within: 5, interval: 0.01, detail: { process.outputTail() }) {
      () throws(RigError) in
      try process.checkRunning()
      return unsafe access(bus, F_OK) == 0
    }
    return process
  }

  /// Starts avahi-daemon where D-Bus runs; it has a /run of its own, for its lock.
  ///
  /// - Throws: `RigError`.
  public func startAvahi() throws(RigError) -> ChildProcess {
    let configuration = try write(
      "[server]\nhost-name=\(label)\nuse-ipv4=yes\nuse-ipv6=yes\n", to: "avahi.conf")
    let process = try ChildProcess(
      "ip",
      [
        "netns", "exec", namespace, "sh", "-c",
        "mount -t tmpfs none /run && mkdir /run/avahi-daemon && exec avahi-daemon -f \(configuration) "
          + "--no-drop-root --no-chroot --no-rlimits --no-proc-title",
      ], environment: environment, outputPath: directory.file("\(label).avahi.log"))
    try waitUntil("avahi-daemon", within: 10, interval: 0.02, detail: { process.outputTail() }) {
      () throws(RigError) in
      try process.checkRunning()
      return process.output.contains("Server startup complete")
    }
    return process
  }

  private func write(_ text: String, to name: String) throws(RigError) -> String {
    let path = directory.file("\(label).\(name)")
    do {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw .file(path: path, reason: "\(error)")
    }
    return path
  }
}
