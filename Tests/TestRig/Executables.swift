import Foundation

/// Where the programs under test are.
public enum Executables {
  /// The environment variable that names their folder.
  public static let variable = "COMLINK_BIN"

  /// The path of a program of this package: in `COMLINK_BIN`, or beside the running program.
  ///
  /// - Throws: `RigError.missing`.
  public static func path(of name: String) throws(RigError) -> String {
    let folders = [ProcessInfo.processInfo.environment[variable], folderOfThisProgram]
    let paths = folders.compactMap { $0 }.map { "\($0)/\(name)" }
    if let path = paths.first(where: FileManager.default.isExecutableFile) { return path }
    throw .missing(
      what: name, hint: "build the package first, or name its folder in \(variable)")
  }

  /// The root of this package's sources, for files that are not compiled into a program.
  public static var sourceRoot: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
  }

  private static var folderOfThisProgram: String? {
    guard
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return nil }
    return URL(fileURLWithPath: path).deletingLastPathComponent().path
  }
}
