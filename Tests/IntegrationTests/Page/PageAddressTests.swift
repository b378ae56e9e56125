import Foundation
import Testing

@testable import TestRig

/// A station whose addresses change under its page.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct PageAddressTests {
  @Test func `the station's certificate follows its addresses, without a restart`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-page")
    let link = try LinkProcess([], in: directory)
    var options = NodeProcess.Options(port: 5004)
    (options.address, options.namespace) = ("0.0.0.0", link.namespace(0))
    options.arguments = ["--page", "0.0.0.0:8443"]
    let node = try NodeProcess(
      "stage", onServerNamed: "none-\(getpid())", options: options, in: directory)
    try node.waitUntilReady(within: 20)
    /// What the certificate is for that a page shows.
    func subjects(at address: String) throws(RigError) -> String {
      let child = try ChildProcess(
        "sh",
        [
          "-c",
          "ip netns exec \(link.namespace(0)) openssl s_client -connect \(address):8443 </dev/null "
            + "2>/dev/null | openssl x509 -noout -ext subjectAltName",
        ], outputPath: directory.file("subjects"))
      _ = try child.wait(within: 10)
      return child.output
    }
    func isFor(_ number: Int, insteadOf other: Int) throws(RigError) {
      try waitUntil("a certificate for 10.77.0.\(number)", within: 20, interval: 0.2) {
        () throws(RigError) in
        let subjects = try subjects(at: "10.77.0.\(number)")
          .split { $0.isWhitespace || $0 == "," }
        return subjects.contains("Address:10.77.0.\(number)")
          && !subjects.contains("Address:10.77.0.\(other)")
      }
    }
    try isFor(1, insteadOf: 101)
    try link.changeAddress(of: 0)
    try isFor(101, insteadOf: 1)
    _ = node.process.terminate(within: 5)
    _ = link.end()
  }
}
