import Foundation
import Glibc
import Intercom
import Remote
import StatusSchema
import TestRig

/// One node with each profile in turn: without peers, in a group that is silent, hearing one that talks,
/// and talking with it.
///
/// JACK runs with the profile's period, unless another is given for all.
struct BatteryMeasurement {
  private enum Activity: String, CaseIterable {
    case idle, listening, talking
    /// With two silent peers and discovery, as a station is most of the time; takes root.
    case member

    /// What this user may measure.
    static var permitted: [Activity] {
      allCases.filter { $0 != .member || geteuid() == 0 }
    }
  }

  /// A second of a node's life.
  private struct Cost {
    var cpuPercent: Double
    /// Of all threads, less one a period, which is JACK's.
    var wakes: Double
    var contextSwitches: Double
    var systemCalls: Double
    var packets: Double
  }

  static let profiles = Profile.allCases.map(\.rawValue) + ["none"]
  /// Where no profile says one: the shortest that a card is known to do.
  private static let usualPeriodFrames = 128
  private static let idlePercent = 1.0
  private static let idleWakes = 60.0
  private static let saverFactor = 3.0
  private static let tracedSeconds = 3.0

  let bench: Bench
  let seconds: Double
  let rounds: Int
  let profiles: [String]

  private func periodFrames(_ profile: String) -> Int {
    bench.options.givenPeriod ?? Profile(rawValue: profile)?.settings.periodFrames
      ?? Self.usualPeriodFrames
  }

  func run() throws(RigError) {
    if !Activity.permitted.contains(.member) {
      Console.line("what a member of a silent group takes is left out: that takes root")
    }
    var costs: [String: [Cost]] = [:]
    for _ in 0..<max(1, rounds) {
      for profile in profiles {
        for activity in Activity.permitted {
          costs["\(profile).\(activity.rawValue)", default: []].append(
            activity == .member ? try memberCost(profile) : try cost(profile, activity))
        }
      }
    }
    for profile in profiles {
      for activity in Activity.permitted {
        add("\(profile).\(activity.rawValue)", costs["\(profile).\(activity.rawValue)"] ?? [])
      }
      let idle = "battery.\(profile).idle"
      check("\(idle).cpu", isAtMost: Self.idlePercent)
      check("\(idle).wakes", isAtMost: Self.idleWakes)
    }
    guard profiles.contains("stage"), profiles.contains("saver") else { return }
    let stage = bench.figures.value("battery.stage.talking.cpu") ?? .nan
    let saver = bench.figures.value("battery.saver.talking.cpu") ?? .nan
    bench.figures.add("battery.stageToSaver", stage / saver, "ratio")
    bench.doubts.check(
      "stage costs less than \(Self.saverFactor) times saver", !(stage >= Self.saverFactor * saver))
  }

  private func add(_ name: String, _ costs: [Cost]) {
    func median(_ value: (Cost) -> Double) -> Double { Distribution(costs.map(value)).median }
    bench.figures.add("battery.\(name).cpu", median { $0.cpuPercent }, "%")
    bench.figures.add("battery.\(name).wakes", median { $0.wakes }, "1/s")
    bench.figures.add("battery.\(name).contextSwitches", median { $0.contextSwitches }, "1/s")
    bench.figures.add("battery.\(name).systemCalls", median { $0.systemCalls }, "1/s")
    bench.figures.add("battery.\(name).packets", median { $0.packets }, "1/s")
  }

  private func check(_ name: String, isAtMost limit: Double) {
    let value = bench.figures.value(name) ?? .nan
    bench.doubts.check("\(name) is above \(limit)", !(value <= limit))
  }

  private func cost(_ profile: String, _ activity: Activity) throws(RigError) -> Cost {
    let ports = try LoopbackPorts.free(2)
    let speech = try Speech.sentences()
    func station(_ index: Int) throws(RigError) -> Station {
      var options = NodeProcess.Options(port: ports[index])
      if activity != .idle { options.peerPorts = [ports[1 - index]] }
      options.arguments = ["--profile", profile]
      return try Station(
        ["A", "B"][index], periodFrames: periodFrames(profile), options: options, recordSeconds: 0,
        in: bench.directory)
    }
    let a = try station(0)
    let b = activity == .idle ? nil : try station(1)
    defer {
      a.stop()
      b?.stop()
    }
    for talker in [activity == .talking ? a : nil, b].compactMap({ $0 }) {
      try talker.prepareToSay(speech, loops: true)
      try talker.mouth.start()
    }
    try a.node.waitUntilConnected(peers: b == nil ? 0 : 1, within: 20)
    // It keeps its talk key from the activity before.
    _ = try a.node.ask(.talk(isOn: activity == .talking))
    // What starts is no running cost.
    pause(seconds: 3)
    return try cost(of: a.node, periodFrames: periodFrames(profile))
  }

  /// Three stations in network namespaces, which find each other by DNS-SD.
  private func memberCost(_ profile: String) throws(RigError) -> Cost {
    let group = try SilentGroup(
      profile: profile, periodFrames: periodFrames(profile), in: bench.directory)
    defer { group.stop() }
    // What starts is no running cost; discovery asks several times at first.
    pause(seconds: 10)
    return try cost(of: group.node, periodFrames: periodFrames(profile))
  }

  private func cost(of node: NodeProcess, periodFrames: Int) throws(RigError) -> Cost {
    let process = node.process.identifier
    let (first, network) = (ProcessUsage(of: process), try node.status().network)
    pause(seconds: seconds)
    let later = try node.status().network
    guard let first, let last = ProcessUsage(of: process) else {
      throw .status(reason: "no figures of \(node.name)")
    }
    let elapsed = Double(last.nanoseconds - first.nanoseconds) / 1e9
    let waits = Double(last.contextSwitches.waits - first.contextSwitches.waits)
    let preemptions = Double(last.contextSwitches.preemptions - first.contextSwitches.preemptions)
    let packets =
      later.packetsSent - network.packetsSent + later.packetsReceived - network.packetsReceived
    return Cost(
      cpuPercent: last.cpuPercent(since: first),
      wakes: waits / elapsed - Double(Bench.sampleRate) / Double(periodFrames),
      contextSwitches: (waits + preemptions) / elapsed,
      systemCalls: try systemCalls(of: process), packets: Double(packets) / elapsed)
  }

  /// Calls a second of all threads, as strace counts them; NaN where it may not.
  private func systemCalls(of process: Int32) throws(RigError) -> Double {
    let table = bench.directory.file("strace.\(process)")
    guard ChildProcess.path(of: "strace") != nil else { return .nan }
    let tracer = try ChildProcess(
      "strace", ["-c", "-f", "-o", table, "-p", "\(process)"],
      outputPath: bench.directory.file("strace.log"))
    pause(seconds: Self.tracedSeconds)
    tracer.send(signal: SIGINT)
    _ = try tracer.wait(within: 20)
    let text = (try? String(contentsOfFile: table, encoding: .utf8)) ?? ""
    let total = text.split(separator: "\n").last { $0.hasSuffix("total") }
    // percent, seconds, microseconds a call, calls, perhaps errors.
    let words = total?.split(separator: " ") ?? []
    return words.count > 3 ? (Double(words[3]) ?? .nan) / Self.tracedSeconds : .nan
  }
}
