import StatusSchema
import Testing

@testable import Doctor

/// That each check finds its facts where the kernel and the system tell them.
@Suite final class ReadingTests {
  /// Lives as long as the test.
  private var planted: Plant?

  private func plant(_ files: [String: String] = [:]) throws -> Plant {
    let plant = try Plant(files)
    planted = plant
    return plant
  }

  @Test func `a file that cannot be read is unknown, not zero`() throws {
    let files = FileTree(root: "/no/such/root")
    #expect(files.text("/proc/sys/kernel/osrelease") == nil)
    #expect(files.number("/x") == nil)
    #expect(files.names(in: "/sys") == [])
    #expect(!files.exists("/etc"))
  }

  @Test func `blanks and the zeros of device trees around a text do not count`() throws {
    let plant = try self.plant(["/a": " 42\n\0", "/b/c": "1"])
    let files = FileTree(root: plant.root)
    #expect(files.number("/a") == 42)
    #expect(files.names(in: "/b") == ["c"])
  }

  @Test func `limits are read as the kernel writes them`() {
    let text = """
      Limit                     Soft Limit           Hard Limit           Units
      Max locked memory         67108864             67108864             bytes
      Max realtime priority     75                   95
      """
    let limits = ProcessLimits(text)
    #expect(limits == ProcessLimits(realtimePriority: 75, lockedBytes: 64 << 20))
    #expect(ProcessLimits(text.replacing("67108864", with: "unlimited"))?.lockedBytes == .max)
    #expect(ProcessLimits("Max open files 1 1 files") == nil)
  }

  @Test func `the daemon's own limits are read beside this user's, and the group of both`() throws {
    let line = { (priority: Int) in
      "Max locked memory  65536 65536 bytes\nMax realtime priority  \(priority) 0\n"
    }
    let plant = try self.plant([
      "/proc/self/limits": line(0), "/proc/42/limits": line(75),
      "/etc/group": "root:x:0:\naudio:x:29:pulse\n",
      "/proc/self/status": "Name:\tcomlink\nGroups:\t4 29 1000 \n",
    ])
    let check = LimitsCheck(plant.system(patient: Plant.patient(status: Plant.status)))
    #expect(check.daemonLimits?.realtimePriority == 75)
    #expect(check.ownLimits == ProcessLimits(realtimePriority: 0, lockedBytes: 65_536))
    #expect(check.isInAudio == true)
    #expect(check.scheduling == "fifo 60")
  }

  @Test func `governors are read of CPUs only`() throws {
    let folder = "/sys/devices/system/cpu"
    let check = GovernorCheck(
      try plant([
        "\(folder)/cpu0/cpufreq/scaling_governor": "ondemand\n",
        "\(folder)/cpu0/cpufreq/scaling_driver": "cpufreq-dt\n",
        "\(folder)/cpu11/cpufreq/scaling_governor": "performance\n",
        "\(folder)/cpuidle/current_driver": "none", "\(folder)/cpufreq/x": "1",
      ]).system())
    #expect(check.governors == ["cpu0": "ondemand", "cpu11": "performance"])
    #expect(check.driver == "cpufreq-dt")
  }

  @Test func `radios are asked by the number of their interface`() throws {
    var probes = Plant.probes
    probes.savesPower = { $0 == 3 }
    let check = RadioCheck(
      try plant([
        "/sys/class/net/wlan0/phy80211/name": "phy0", "/sys/class/net/wlan0/ifindex": "3\n",
        "/sys/class/net/eth0/ifindex": "2\n", "/usr/sbin/iw": "",
        "/etc/NetworkManager/conf.d/x.conf": "",
      ]).system(probes: probes))
    #expect(check.radios == [RadioCheck.Radio(name: "wlan0", index: 3, savesPower: true)])
    #expect(check.hasNetworkManager)
    #expect(check.iwPath == "/usr/sbin/iw")
  }

  @Test func `multicast is read from flags, routes, groups and ports`() throws {
    let check = MulticastCheck(
      try plant([
        "/sys/class/net/lo/flags": "0x9\n", "/sys/class/net/eth0/flags": "0x1003\n",
        "/sys/class/net/eth1/flags": "0x1002\n", "/sys/class/net/tun0/flags": "0x41\n",
        "/proc/net/igmp": """
        Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter
        1\tlo        :     1      V3
        \t\t\t\t010000E0     1 0:00000000\t\t0
        2\teth0      :     2      V3
        \t\t\t\tFB0000E0     1 0:00000000\t\t0
        """,
        "/proc/net/route": "Iface\tDestination\tGateway\neth0\t00000000\t0100000A\n",
        "/proc/net/udp": "  sl  local_address\n  7: 00000000:14E9 00000000:0000 07\n",
      ]).system(patient: Plant.patient(status: Plant.status)))
    #expect(
      check.interfaces == [
        MulticastCheck.Interface(name: "eth0", hasMulticast: true, isInGroup: true),
        MulticastCheck.Interface(name: "tun0", hasMulticast: false, isInGroup: false),
      ])
    #expect(check.hasRoute && check.isPortServed)
    #expect(check.isDaemonOpen == true)
  }

  @Test func `the state directory that is not there yet is judged by what there is of its way`()
    throws
  {
    var probes = Plant.probes
    probes.disk = { path in
      path == "/var" ? DiskFacts(freeBytes: 5, isReadOnly: false, isWritable: true) : nil
    }
    let check = DiskCheck(try plant().system(probes: probes))
    #expect(check.path == "/var")
    #expect(check.disk?.freeBytes == 5)
  }

  @Test func `the state of the daemon that answers is judged, wherever it is`() throws {
    var status = Plant.status
    status.node.statePath = "/srv/state"
    let answering = Plant.patient(status: status)
    let check = DiskCheck(try plant().system(patient: answering))
    #expect(check.path == "/srv/state" && !check.isOwnProcess)
    status.node.statePath = nil
    #expect(DiskCheck(try plant().system(patient: Plant.patient(status: status))).path == nil)
  }

  @Test func `where none answers it is the service's, if there is one and it is meant`() throws {
    var patient = Plant.patient()
    (patient.statePath, patient.serviceStatePath) = ("/home/maker/state", "/var/lib/comlink")
    let unit = ["/lib/systemd/system/comlinkd.service": ""]
    let own = DiskCheck(try plant().system(patient: patient))
    #expect(own.path == "/home/maker/state" && own.isOwnProcess)
    let service = DiskCheck(try plant(unit).system(patient: patient))
    #expect(service.path == "/var/lib/comlink" && !service.isOwnProcess)
    #expect(LimitsCheck(try plant(unit).system(patient: patient)).findings == [])
    patient.serviceStatePath = nil
    #expect(DiskCheck(try plant(unit).system(patient: patient)).path == "/home/maker/state")
  }

  @Test func `a daemon is the service by its control group`() throws {
    let system = { (group: String) in
      try self.plant(["/proc/42/cgroup": group, "/lib/systemd/system/comlinkd.service": ""])
        .system(patient: Plant.patient(status: Plant.status))
    }
    #expect(try system("0::/system.slice/comlinkd.service\n").isService)
    #expect(try !system("0::/user.slice/user-1000.slice/session-2.scope\n").isService)
    let user = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/comlinkd.service\n"
    #expect(try !system(user).isService)
  }

  @Test func `power, heat, swap, buffers and throttling are read`() throws {
    let system = try plant([
      "/sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n",
      "/sys/class/thermal/thermal_zone0/temp": "48000\n",
      "/sys/class/thermal/thermal_zone1/temp": "61500\n",
      "/proc/swaps": "Filename Type Size\n/dev/zram0 partition 1\n/var/swap file 2\n",
      "/proc/sys/net/core/rmem_max": "212992\n", "/proc/sys/net/core/wmem_max": "212992\n",
      "/proc/sys/kernel/sched_rt_runtime_us": "-1\n",
    ]).system()
    let power = PowerCheck(system)
    #expect(power.throttled == 0x50005)
    #expect(power.celsius == 61)
    #expect(SwapCheck(system).places == ["/var/swap"])
    #expect(BufferCheck(system).receiveMaximum == 212_992)
    #expect(ThrottleCheck(system).runtimeMicroseconds == -1)
  }
}
