@testable import NodeDaemon

/// A machine with the files and variables that a test wants.
enum TestSurroundings {
  static func with(
    files: [String: String] = [:], environment: [String: String] = ["HOME": "/home/eve"],
    hostName: String = "stage-left.example.org"
  ) -> Surroundings {
    Surroundings(environment: environment, hostName: hostName) { path in
      files[path].map { .text($0) } ?? .missing
    }
  }

  /// The configuration from a file's text and flags as they are typed.
  static func load(
    _ text: String = "", flags: [(Setting, String)] = []
  ) throws -> EffectiveConfiguration {
    let flags = try flags.map { ($0, try SettingValue(flag: $1, for: $0)) }
    return try ConfigurationLoader(surroundings: with(files: ["/c.toml": text]))
      .load(path: "/c.toml", flags: flags)
  }

  /// The words of the error that loading gives; nil if it gives none.
  static func complaint(_ text: String = "", flags: [(Setting, String)] = []) -> String? {
    do {
      _ = try load(text, flags: flags)
      return nil
    } catch let error as DaemonError {
      return "\(error)"
    } catch let problem as SettingProblem {
      return problem.words
    } catch {
      return "\(error)"
    }
  }
}
