internal import EventLoop
internal import StatusSchema

/// Whether the socket may keep what the daemon asks for.
struct BufferCheck: Check {
  /// net.core.rmem_max and wmem_max, bytes.
  var receiveMaximum: Int?
  var sendMaximum: Int?
  /// Datagrams that found the socket's memory full, since the daemon started; nil: no daemon.
  var overflows: Int?
}

extension BufferCheck {
  private static let asked = UDPEndpointConfiguration()
  private static let file = "/etc/sysctl.d/95-comlink-buffers.conf"

  init(_ system: System) {
    receiveMaximum = system.files.number("/proc/sys/net/core/rmem_max")
    sendMaximum = system.files.number("/proc/sys/net/core/wmem_max")
    overflows = system.patient.status.map { status in
      ["kernelBufferFull", "sendBufferFull"].reduce(0) { $0 + (status.network.drops[$1] ?? 0) }
    }
  }

  var findings: [Finding] {
    guard let receiveMaximum, let sendMaximum else { return [] }
    let lacking = [
      ("rmem_max", receiveMaximum, Self.asked.receiveBufferBytes),
      ("wmem_max", sendMaximum, Self.asked.sendBufferBytes),
    ].filter { $0.1 < $0.2 }
    let overflows = overflows ?? 0
    let lost = overflows > 0 ? "; \(overflows) packets lost to full buffers" : ""
    let seen =
      "up to \(receiveMaximum >> 10) KiB to receive, \(sendMaximum >> 10) KiB to send\(lost)"
    guard !lacking.isEmpty || overflows > 0 else {
      return [Finding(check: "buffers", level: .ok, seen: seen)]
    }
    guard !lacking.isEmpty else {
      return [
        Finding(
          check: "buffers", level: .advice, seen: seen,
          meaning: "The media loop stalled for so long that packets were lost.",
          fix: ["see rtprio and xruns here"])
      ]
    }
    let lines = lacking.map { "net.core.\($0.0) = \($0.2)" }
    return [
      Finding(
        check: "buffers", level: overflows > 0 ? .problem : .advice, seen: seen,
        meaning:
          "comlinkd requests more; when the machine stalls, smaller buffers lose packets.",
        fix: lacking.map { "sudo sysctl net.core.\($0.0)=\($0.2)" } + [
          "and to keep it, in \(Self.file): \(lines.joined(separator: " and ")); then restart comlinkd"
        ],
        repairs: lacking.map { .set(path: "/proc/sys/net/core/\($0.0)", value: "\($0.2)") } + [
          .create(path: Self.file, contents: lines.map { "\($0)\n" }.joined())
        ])
    ]
  }
}
