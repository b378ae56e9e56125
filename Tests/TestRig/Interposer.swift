import Glibc

/// A library for LD_PRELOAD, built with the system's C compiler from `Tests/Interposer`.
enum Interposer {
  /// Builds one, once a folder; a busy machine may take its time.
  ///
  /// - Returns: the library's path.
  /// - Throws: `RigError`; `.missing` without a C compiler.
  static func build(_ name: String, in directory: TemporaryDirectory) throws(RigError) -> String {
    let library = directory.file("\(name).so")
    if unsafe access(library, R_OK) == 0 { return library }
    let compiler = try ChildProcess(
      ChildProcess.path(of: "cc") == nil ? "clang" : "cc",
      ["-std=gnu17", "-O2", "-fPIC", "-shared", "-fno-builtin", "-o", library]
        + ["\(Executables.sourceRoot)/Tests/Interposer/\(name).c"],
      outputPath: directory.file("\(name)-cc.log"))
    let status = try compiler.wait(within: 120)
    guard status == 0 else {
      throw .ended(command: compiler.command, status: status, output: compiler.outputTail())
    }
    return library
  }
}
