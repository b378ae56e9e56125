import StatusSchema
import Testing

@testable import Doctor

/// What each check makes of its facts: well, improvable, bad.
@Suite struct JudgementTests {
  typealias Case = (any Check, [Finding.Level], words: String)

  static let kernels: [Case] = [
    (kernel("6.1.0-13-amd64"), [.ok, .ok], "Linux 6.1.0-13-amd64"),
    (kernel("6.0.0"), [.ok, .ok], "works for this user"),
    (kernel("5.15.84-v8+"), [.problem, .ok], "new in Linux 6.0"),
    (kernel("strange"), [.advice, .ok], "unknown"),
    (kernel("6.12.1", disabled: 1), [.ok, .problem], "Only root and the group"),
    (kernel("6.12.1", disabled: 2), [.ok, .problem], "kernel.io_uring_disabled = 2"),
    (kernel("6.12.1", problem: "no memory"), [.ok, .problem], "no memory"),
    (kernel("6.12.1", disabled: 2, isRunning: true), [.ok, .ok], "comlinkd uses it"),
  ]

  static let limits: [Case] = [
    (limit(priority: 75, bytes: .max), [.ok, .ok, .ok], "maker may lock all memory"),
    (limit(priority: 0, bytes: .max), [.problem, .ok, .ok], "@audio - rtprio 75"),
    (limit(priority: 75, bytes: 8 << 20), [.ok, .problem, .ok], "maker may lock 8192 KiB"),
    (
      limit(priority: 75, bytes: .max, isInAudio: false), [.ok, .ok, .problem], "usermod -aG audio"
    ),
    (limit(priority: 0, bytes: 0, isRoot: true), [.ok, .ok], "root is not limited"),
    (limit(scheduling: "fifo 60", isLocked: true), [.ok, .ok], "runs as fifo 60, limit rtprio 75"),
    (limit(scheduling: "other", isLocked: true), [.problem, .ok, .ok], "runs as other"),
    (limit(scheduling: "fifo 60", isLocked: false), [.ok, .problem], "memory is not locked"),
    (limit(priority: 0, bytes: 0, isService: true), [], ""),
  ]

  static let sounds: [Case] = [
    (sound(), [.ok, .ok, .ok, .ok, .ok], "128 frames, 2.7 ms"),
    (SoundCheck(audio: nil, uptimeSeconds: 0, wakeLatencyP99Microseconds: 0), [], ""),
    (server(.missing(server: "studio")), [.advice], "this user runs no JACK server studio"),
    (server(.refused(reason: "runs at 4000 Hz")), [.problem], "runs at 4000 Hz"),
    (server(.silent(server: "studio")), [.problem], "server studio runs no period"),
    (
      server(.running(server: "studio", sampleRate: 48_000, periodFrames: 128)), [.ok, .ok, .ok],
      "128 frames, 2.7 ms"
    ),
    (
      server(.running(server: "studio", sampleRate: 44_100, periodFrames: 32)),
      [.ok, .advice, .advice], "server studio runs"
    ),
    (
      server(
        .running(server: "default", sampleRate: 48_000, periodFrames: 1024),
        pipeWire: PipeWireFacts(isDefault: true)), [.ok, .ok], "server default runs"
    ),
    (sound { $0.state = .waiting }, [.problem], "runs no JACK server default"),
    (
      sound { ($0.state, $0.problem) = (.stalled, "it stands still") }, [.problem],
      "it stands still"
    ),
    (sound { $0.state = .stalled }, [.problem], "kill -CONT"),
    (
      sound { $0.problem = "the plugin does not suit" }, [.advice, .ok, .ok, .ok, .ok],
      "restart jackd"
    ),
    (
      sound(isService: true) { $0.problem = "the plugin does not suit" },
      [.advice, .ok, .ok, .ok, .ok], "sudo systemctl restart 'jackd@*'"
    ),
    (sound { $0.state = .failed }, [.problem], "refuses the client"),
    (sound(isService: true) { $0.state = .waiting }, [.problem], "enable --now jackd@USB"),
    (
      sound(isService: true) { $0.xruns = 20 }, [.ok, .ok, .ok, .advice, .ok],
      "PERIOD=256 in /etc/comlink/jackd-CARD.conf; PERIODS=3 in"
    ),
    (
      sound { ($0.state, $0.problem) = (.failed, "the name is taken") }, [.problem], "name is taken"
    ),
    (
      sound { $0.state = .freewheeling }, [.advice], "is sent or played until that ends"
    ),
    (sound { $0.implementation = "jackd 1.9.21" }, [.ok, .ok, .ok, .ok, .ok], "(jackd 1.9.21)"),
    (
      sound { ($0.implementation, $0.periodFrames) = ("PipeWire 0.3.65", 1024) },
      [.ok, .ok, .advice, .ok, .ok], "pw-metadata -n settings 0 clock.force-quantum 256"
    ),
    (
      sound { ($0.implementation, $0.sampleRate) = ("PipeWire 0.3.65", 44_100) },
      [.ok, .advice, .ok, .ok, .ok], "clock.force-rate 48000"
    ),
    (
      sound { ($0.implementation, $0.state) = ("PipeWire 0.3.65", .stalled) }, [.problem],
      "systemctl --user restart pipewire wireplumber"
    ),
    (
      server(.missing(server: "default"), pipeWire: .own), [.advice],
      "start it by: pw-jack comlinkd"
    ),
    (
      server(.missing(server: "default"), pipeWire: .own(hasWrapper: false)), [.advice],
      "sudo apt-get install pipewire-jack"
    ),
    (
      server(.missing(server: "default"), pipeWire: .others), [.advice],
      "start comlinkd as maker, whose PipeWire it is: pw-jack comlinkd"
    ),
    (
      server(.missing(server: "default"), pipeWire: PipeWireFacts(isDefault: true)), [.advice],
      "systemctl --user start pipewire wireplumber"
    ),
    (
      SoundCheck(
        audio: nil, uptimeSeconds: 0, wakeLatencyP99Microseconds: 0, isService: true,
        pipeWire: .others), [.advice], "which the service's user cannot reach"
    ),
    (sound(pipeWire: .own) { $0.state = .waiting }, [.problem], "/etc/ld.so.conf.d/"),
    (
      sound(isService: true, pipeWire: .others) { $0.state = .waiting }, [.problem],
      "as maker: systemctl --user enable --now comlinkd"
    ),
    (sound { $0.sampleRate = 44_100 }, [.ok, .advice, .ok, .ok, .ok], "resampled"),
    (sound { $0.periodFrames = 32 }, [.ok, .ok, .advice, .ok, .ok], "32 frames, 0.7 ms"),
    (sound { $0.periodFrames = 1024 }, [.ok, .ok, .advice, .ok, .ok], "two periods more delay"),
    (sound { $0.xruns = 1 }, [.ok, .ok, .ok, .ok, .ok], "1 xruns and 0 missed periods in 10 min"),
    (sound { $0.xruns = 20 }, [.ok, .ok, .ok, .advice, .ok], "-p 256"),
    (sound { $0.missedPeriods = 100 }, [.ok, .ok, .ok, .problem, .ok], "a click or a dropout"),
    (sound(p99: 5000), [.ok, .ok, .ok, .ok, .advice], "longer than a period"),
  ]

  static let machines: [Case] = [
    (GovernorCheck(governors: [:], driver: nil), [.ok], "the CPU clock is fixed"),
    (GovernorCheck(governors: ["cpu0": "performance"], driver: nil), [.ok], "on 1 CPUs"),
    (GovernorCheck(governors: ["cpu0": "ondemand"], driver: nil), [.advice], "rises only after"),
    (GovernorCheck(governors: ["cpu0": "powersave"], driver: "x"), [.problem], "lowest clock"),
    (GovernorCheck(governors: ["cpu0": "powersave"], driver: "intel_pstate"), [.advice], "rises"),
    (PowerCheck(throttled: nil, celsius: nil), [], ""),
    (PowerCheck(throttled: 0, celsius: 40), [.ok, .ok], "no under-voltage"),
    (PowerCheck(throttled: 0x50005, celsius: nil), [.problem], "under-voltage now"),
    (PowerCheck(throttled: 0x10000, celsius: nil), [.problem], "under-voltage since boot"),
    (PowerCheck(throttled: 0x80000, celsius: nil), [.advice], "slowed down since boot"),
    (PowerCheck(throttled: nil, celsius: 82), [.advice], "82 °C"),
    (throttle(950_000), [.ok], "95 %"), (throttle(-1), [.ok], "100 %"),
    (throttle(500_000), [.advice], "50 %"), (throttle(0), [.problem], "0 %"),
    (ThrottleCheck(runtimeMicroseconds: nil, periodMicroseconds: nil), [], ""),
    (ClockCheck(isSynchronised: true), [.ok], "synchronised by a time service"),
    (ClockCheck(isSynchronised: nil), [.ok], "unknown"),
    (ClockCheck(isSynchronised: false), [.advice], "timedatectl set-ntp true"),
    (SwapCheck(places: [], isMemoryLocked: false), [.ok], "no swap on a disk"),
    (SwapCheck(places: ["/swap"], isMemoryLocked: true), [.ok], "locks its memory"),
    (SwapCheck(places: ["/swap"], isMemoryLocked: false), [.advice], "swapoff"),
    (DaemonCheck(version: "1.2", silence: nil, identityProblem: nil), [.ok], "comlinkd 1.2"),
    (DaemonCheck(version: nil, silence: "no socket", identityProblem: nil), [.advice], "no socket"),
    (
      DaemonCheck(version: nil, silence: "no permission", isService: true), [.advice],
      "sudo comlink doctor"
    ),
    (DaemonCheck(version: "1", silence: nil, identityProblem: "full"), [.problem], "full"),
    (DaemonCheck(version: "1", identityTwin: "twice"), [.problem], "comlink id new on one"),
    (
      DaemonCheck(version: "1", identityTwin: "twice", statePath: "/s"), [.problem],
      "remove /s from the copy"
    ),
  ]

  static let networks: [Case] = [
    (radio(nil), [.ok], "no Wi-Fi interface"),
    (radio(.some(false)), [.ok], "wlan0: power save off"),
    (radio(.some(true)), [.problem], "0.8 to 2 s"),
    (radio(.some(nil)), [.advice], "power save state unknown"),
    (buffers(4 << 20), [.ok], "4096 KiB"),
    (buffers(212_992), [.advice], "net.core.rmem_max=1048576"),
    (buffers(212_992, overflows: 3), [.problem], "3 packets lost to full buffers"),
    (buffers(4 << 20, overflows: 3), [.advice], "stalled"),
    (multicast(interfaces: []), [.problem], "no network interface is up"),
    (multicast(), [.ok, .ok], "works on eth0"),
    (multicast(hasRoute: false), [.ok, .advice, .ok], "224.0.0.0/4 dev eth0"),
    (multicast(isDaemonOpen: nil), [.ok], "works on eth0"),
    (multicast(isPortServed: false), [.ok, .advice], "nothing listens on UDP port 5353"),
    (
      multicast(interfaces: [.init(name: "eth0", hasMulticast: true, isInGroup: false)]),
      [.ok, .advice], "the group 224.0.0.251"
    ),
    (
      multicast(interfaces: [.init(name: "tun0", hasMulticast: false, isInGroup: false)]),
      [.advice], "multicast on"
    ),
  ]

  static let disks: [Case] = [
    (disk(free: 1 << 30), [.ok], "1024 MiB free"), (disk(free: 50 << 20), [.advice], "50 MiB"),
    (disk(free: 1 << 20), [.problem], "1 MiB free"),
    (disk(free: 1 << 30, isReadOnly: true), [.problem], "read-only"),
    (disk(free: 1 << 30, isWritable: false), [.problem], "not writable for this user"),
    (disk(free: 1 << 30, isWritable: false, isOwn: false), [.ok], "1024 MiB"),
    (DiskCheck(path: nil, disk: nil, isOwnProcess: true), [.advice], "--state DIR"),
  ]

  @Test(arguments: [kernels, limits, sounds, machines, networks, disks])
  func `facts are judged`(cases: [Case]) {
    for (check, levels, words) in cases {
      let findings = check.findings
      #expect(findings.map(\.level) == levels, "\(findings)")
      let text = FindingTable.text(findings)
      #expect(words.isEmpty || text.contains(words), "\(words) is not in \(text)")
    }
  }

  @Test(arguments: [kernels, limits, sounds, machines, networks, disks])
  func `what is not well says what it means and what to do, what is well says neither`(
    cases: [Case]
  ) {
    for finding in cases.flatMap({ $0.0.findings }) {
      #expect(finding.meaning.isEmpty == (finding.level == .ok), "\(finding)")
      #expect(finding.fix.isEmpty == (finding.level == .ok), "\(finding)")
      #expect(finding.level != .ok || !finding.isRepairable, "\(finding)")
    }
  }
}

extension JudgementTests {
  private static func kernel(
    _ release: String, disabled: Int = 0, problem: String? = nil, isRunning: Bool = false
  ) -> KernelCheck {
    KernelCheck(
      release: release, ringDisabled: disabled, ringProblem: problem, isDaemonRunning: isRunning)
  }

  private static func limit(
    priority: UInt64, bytes: UInt64, isInAudio: Bool = true, isRoot: Bool = false,
    isService: Bool = false
  ) -> LimitsCheck {
    LimitsCheck(
      ownLimits: ProcessLimits(realtimePriority: priority, lockedBytes: bytes), userName: "maker",
      isRoot: isRoot, isInAudio: isInAudio, isService: isService)
  }

  private static func limit(scheduling: String, isLocked: Bool) -> LimitsCheck {
    LimitsCheck(
      scheduling: scheduling, isMemoryLocked: isLocked,
      daemonLimits: ProcessLimits(realtimePriority: 75, lockedBytes: .max), userName: "maker",
      isRoot: false, isInAudio: true)
  }

  private static func sound(
    p99: Double = 90, isService: Bool = false, pipeWire: PipeWireFacts = PipeWireFacts(),
    _ change: (inout AudioStatus) -> Void = { _ in }
  ) -> SoundCheck {
    var audio = Plant.status.audio
    change(&audio)
    return SoundCheck(
      audio: audio, uptimeSeconds: 600, wakeLatencyP99Microseconds: p99, isService: isService,
      pipeWire: pipeWire)
  }

  private static func server(
    _ facts: JackServerFacts, pipeWire: PipeWireFacts = PipeWireFacts()
  ) -> SoundCheck {
    SoundCheck(
      audio: nil, uptimeSeconds: 0, wakeLatencyP99Microseconds: 0, server: facts,
      pipeWire: pipeWire)
  }

  private static func throttle(_ runtime: Int) -> ThrottleCheck {
    ThrottleCheck(runtimeMicroseconds: runtime, periodMicroseconds: 1_000_000)
  }

  /// Nil: no radio.
  private static func radio(_ savesPower: Bool??) -> RadioCheck {
    RadioCheck(
      radios: savesPower.map { [.init(name: "wlan0", index: 3, savesPower: $0)] } ?? [],
      hasNetworkManager: false, iwPath: "/usr/sbin/iw")
  }

  private static func buffers(_ bytes: Int, overflows: Int? = nil) -> BufferCheck {
    BufferCheck(receiveMaximum: bytes, sendMaximum: 4 << 20, overflows: overflows)
  }

  private static func multicast(
    interfaces: [MulticastCheck.Interface] = [
      .init(name: "eth0", hasMulticast: true, isInGroup: true)
    ],
    hasRoute: Bool = true, isPortServed: Bool = true, isDaemonOpen: Bool? = true
  ) -> MulticastCheck {
    MulticastCheck(
      interfaces: interfaces, hasRoute: hasRoute, isPortServed: isPortServed,
      isDaemonOpen: isDaemonOpen)
  }

  private static func disk(
    free: UInt64, isReadOnly: Bool = false, isWritable: Bool = true, isOwn: Bool = true
  ) -> DiskCheck {
    DiskCheck(
      path: "/var/lib/comlink",
      disk: DiskFacts(freeBytes: free, isReadOnly: isReadOnly, isWritable: isWritable),
      isOwnProcess: isOwn)
  }
}

extension PipeWireFacts {
  static let own = own(hasWrapper: true)
  static let others = PipeWireFacts(users: ["maker"], hasWrapper: true)

  static func own(hasWrapper: Bool) -> PipeWireFacts {
    PipeWireFacts(users: ["maker"], isOwn: true, hasWrapper: hasWrapper)
  }
}
