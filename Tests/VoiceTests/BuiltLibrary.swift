import Foundation

/// A library that a test has the compiler build, in a folder of its own.
struct BuiltLibrary {
  let folder: String
  let path: String

  /// - Parameter name: of the library's file.
  init(_ source: String, name: String = "a.so") throws {
    folder = NSTemporaryDirectory() + "comlink-library-\(UUID().uuidString)"
    path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write(source, to: "a.c")
    try run(["clang", "-shared", "-fPIC", "-o", path, folder + "/a.c"])
  }

  /// A file beside it.
  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  /// Waits for a program.
  func run(_ command: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    try process.run()
    process.waitUntilExit()
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
