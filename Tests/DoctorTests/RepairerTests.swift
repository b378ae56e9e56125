import Glibc
import Synchronization
import Testing

@testable import Doctor

@Suite struct RepairerTests {
  private static let governor = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"

  @Test func `what is mended is found well the next time`() throws {
    let plant = try Plant([
      Self.governor: "powersave\n", "/proc/sys/net/core/rmem_max": "212992\n",
      "/proc/sys/net/core/wmem_max": "212992\n", "/proc/sys/kernel/sched_rt_runtime_us": "0\n",
      "/proc/sys/kernel/io_uring_disabled": "2\n", "/proc/sys/kernel/osrelease": "6.12.0\n",
      "/etc/sysctl.d/README": "", "/etc/tmpfiles.d/README": "",
    ])
    let doctor = Doctor(system: plant.system())
    let bad = { Set(doctor.examine().filter(\.isRepairable).map(\.check)) }
    #expect(bad() == ["governor", "buffers", "scheduling", "io_uring"])
    let outcomes = repairer(plant).repair(doctor.examine())
    #expect(outcomes.filter { !$0.isDone } == [])
    #expect(bad() == [])
    #expect(plant.text(Self.governor)?.hasPrefix("performance\n") == true)
    #expect(
      plant.text("/etc/sysctl.d/95-comlink-buffers.conf")
        == "net.core.rmem_max = 1048576\nnet.core.wmem_max = 524288\n")
  }

  @Test func `power save is switched off by the number of the interface, and for good`() throws {
    let plant = try Plant(["/etc/NetworkManager/conf.d/x": ""])
    let asked = Mutex<[UInt32]>([])
    let check = RadioCheck(
      radios: [.init(name: "wlan0", index: 3, savesPower: true)], hasNetworkManager: true,
      iwPath: nil)
    let outcomes = Repairer(root: plant.root) { index, isOn in
      #expect(!isOn)
      asked.withLock { $0.append(index) }
      return 0
    }.repair(check.findings)
    #expect(asked.withLock { $0 } == [3])
    #expect(outcomes.map(\.isDone) == [true, true])
    let file = "/etc/NetworkManager/conf.d/95-comlink-wifi.conf"
    #expect(plant.text(file) == "[connection]\nwifi.powersave = 2\n")
  }

  @Test func `a file that is there is left as it is`() throws {
    let plant = try Plant([LimitsFile.path: "@audio - rtprio 10\n"])
    let check = LimitsCheck(
      ownLimits: ProcessLimits(realtimePriority: 0, lockedBytes: 0), userName: "maker",
      isRoot: false, isInAudio: true)
    let outcomes = repairer(plant).repair(check.findings)
    #expect(outcomes.map(\.isDone) == [false])
    #expect(outcomes.first?.words == "\(LimitsFile.path) exists and was not changed")
    #expect(plant.text(LimitsFile.path) == "@audio - rtprio 10\n")
  }

  @Test(arguments: [0, 7])
  func `a file for which there is no room is not made in part`(room: Int) throws {
    let plant = try Plant(["/etc/security/limits.d/x": ""])
    let check = LimitsCheck(
      ownLimits: ProcessLimits(realtimePriority: 0, lockedBytes: .max), userName: "maker",
      isRoot: false, isInAudio: true)
    let full = Repairer(
      root: plant.root,
      write: { file, bytes in
        errno = ENOSPC
        return room == 0 ? -1 : Repairer.systemWrite(file, bytes.extracting(first: room))
      }, setPowerSave: { _, _ in 0 })
    let outcomes = full.repair(check.findings)
    #expect(outcomes.map(\.isDone) == [false])
    #expect(outcomes.first?.words.contains("No space left on device") == true)
    #expect(plant.names(in: "/etc/security/limits.d") == ["x"])
    #expect(repairer(plant).repair(check.findings).map(\.isDone) == [true])
    #expect(plant.names(in: "/etc/security/limits.d") == ["95-comlink.conf", "x"])
    #expect(plant.text(LimitsFile.path) == "@audio - rtprio 75\n@audio - memlock unlimited\n")
  }

  @Test func `what the system refuses is told, and the rest is done`() throws {
    let plant = try Plant(["/etc/udev/rules.d/x": ""])
    let check = RadioCheck(
      radios: [.init(name: "wlan0", index: 3, savesPower: true)], hasNetworkManager: false,
      iwPath: "/usr/sbin/iw")
    let outcomes = Repairer(root: plant.root) { _, _ in -1 }.repair(check.findings)
    #expect(outcomes.map(\.isDone) == [false, true])
    #expect(outcomes.first?.words.contains("Operation not permitted") == true)
    #expect(
      plant.text("/etc/udev/rules.d/95-comlink-wifi.rules") == """
        ACTION=="add", SUBSYSTEM=="net", ENV{DEVTYPE}=="wlan", RUN+="/usr/sbin/iw dev $name set power_save off"

        """)
  }

  private func repairer(_ plant: Plant) -> Repairer { Repairer(root: plant.root) { _, _ in 0 } }
}
