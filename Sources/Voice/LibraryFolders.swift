internal import Glibc

/// Where libraries lie that no package of Debian puts where the loader looks.
enum LibraryFolders {
  #if arch(arm64)
    private static let machine = "aarch64-linux-gnu"
  #else
    private static let machine = "x86_64-linux-gnu"
  #endif
  /// Where Comlink's own packages put theirs.
  static let packaged = "/usr/lib/\(machine)/comlink"

  /// What a variable of the environment names, then the usual ones.
  static func all(_ variable: String) -> [String] {
    let own = unsafe getenv(variable).flatMap { unsafe String(validatingCString: $0) }
    let usual = ["/usr/local/lib/comlink", packaged]
    return own.map { [$0] + usual } ?? usual
  }
}
