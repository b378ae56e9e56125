import EventLoop
import Glibc
import Intercom
import Testing

@testable import NodeDaemon

@Suite struct LimitsAdviceTests {
  @Test func `the advice has the exact lines, the file and the group`() {
    #expect(
      LimitsAdvice.message([.realtimeScheduling(priority: 60)], user: "eve") == """
        no permission for real-time scheduling (SCHED_FIFO 60): audio may drop out when the machine is \
        busy. To allow it, put these lines into /etc/security/limits.d/95-comlink.conf:
          @audio - rtprio 75
          @audio - memlock unlimited
        then run `sudo usermod -aG audio eve`, log out and in again. (A systemd service needs \
        LimitRTPRIO=75 and LimitMEMLOCK=infinity instead.)
        """)
    #expect(
      LimitsAdvice.message([.memoryLock], user: "eve")
        .hasPrefix(
          "no permission to lock memory: audio may drop out when memory is short. To allow"))
  }

  @Test func `two missing rights are told at once and their cure once`() {
    let words = LimitsAdvice.message([.realtimeScheduling(priority: 60), .memoryLock], user: "eve")
    #expect(
      words.hasPrefix(
        """
        no permission for real-time scheduling (SCHED_FIFO 60): audio may drop out when the machine is \
        busy; no permission to lock memory: audio may drop out when memory is short. To allow both, \
        put these lines into /etc
        """))
    for line in LimitsAdvice.lines {
      #expect(words.split(separator: "\n").count { $0 == "  \(line)" } == 1)
    }
  }

  @Test func `a kernel that grants no memory for the event loop gets the same cure`() {
    let error = DaemonError.node(.eventLoop(.ring(.setup, errno: ENOMEM)))
    #expect(error.exitCode == EX_OSERR)
    #expect(error.description.contains("(RLIMIT_MEMLOCK)"))
    for line in [LimitsAdvice.path] + LimitsAdvice.lines {
      #expect(error.description.contains(line))
    }
  }
}
