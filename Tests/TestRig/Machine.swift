import Glibc

/// What the figures were measured on.
public enum Machine {
  /// Processor, its count, kernel, and the load average, in one line.
  public static var summary: String {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let model =
      text(ofFile: "/proc/cpuinfo")?.split(separator: "\n")
      .first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }?
      .split(separator: ":").last.map { $0.drop { $0 == " " } } ?? "unknown processor"
    let kernel = text(ofFile: "/proc/sys/kernel/osrelease")?.split(separator: "\n").first ?? "?"
    return "\(cores) x \(model), Linux \(kernel), load \(load)"
  }

  /// Processor time that the host gave to others, of all processors, seconds since boot.
  public static var stolenSeconds: Double {
    let ticks = text(ofFile: "/proc/stat")?.split(separator: "\n").first?.split(separator: " ")
    guard let ticks, ticks.count > 8, let stolen = Double(ticks[8]) else { return .nan }
    return stolen / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The load average of the last minute, as text.
  public static var load: String {
    String(text(ofFile: "/proc/loadavg")?.split(separator: " ").first ?? "?")
  }
}
