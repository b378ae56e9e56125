/// What gives the group `audio` real-time scheduling and locked memory (pam_limits(8)).
public enum LimitsFile {
  /// Where PAM reads it.
  public static let path = "/etc/security/limits.d/95-comlink.conf"
  /// Its lines.
  public static let lines = ["@audio - rtprio 75", "@audio - memlock unlimited"]
}
