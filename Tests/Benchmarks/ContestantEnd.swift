import TestRig

/// Where one end of a contestant's talk runs.
struct ContestantEnd {
  /// Its JACK server.
  let server: JackServer
  /// Its network namespace; nil for our own.
  var namespace: String?
  /// Its address there.
  var address = "127.0.0.1"

  /// Starts one of the contestant's programs here.
  ///
  /// - Parameters:
  ///   - role: names its output's file.
  ///   - environment: besides what JACK and Qt need.
  /// - Throws: `RigError`.
  func start(
    _ program: String, _ arguments: [String], role: String, environment: [String: String] = [:],
    in directory: TemporaryDirectory
  ) throws(RigError) -> ChildProcess {
    let command =
      (namespace.map { ["ip", "netns", "exec", $0] } ?? []) + [program] + arguments
    return try ChildProcess(
      command[0], Array(command.dropFirst()),
      environment: environment.merging(
        ["JACK_DEFAULT_SERVER": server.name, "QT_QPA_PLATFORM": "offscreen"]
      ) { own, _ in own },
      outputPath: directory.file("\(role)-\(server.name).log"))
  }
}
