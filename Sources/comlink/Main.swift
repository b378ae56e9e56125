internal import ArgumentParser
internal import Glibc

/// `comlink`: the remote of a running `comlinkd`.
@main
enum Main {
  static func main() {
    do {
      let arguments = NegativeNumber.protected(Array(CommandLine.arguments.dropFirst()))
      var command = try Comlink.parseAsRoot(arguments)
      try command.run()
    } catch let error as RemoteFailure {
      complain("\(error)")
      exit(error.exitCode)
    } catch {
      Comlink.exit(withError: error)
    }
  }

  private static func complain(_ words: String) {
    let bytes = Array("comlink: \(words)\n".utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
