import Foundation
import Testing

@testable import Cryptography

/// The crew's certificates as another library judges them; NIOSSL's own knows no constraints of addresses.
@Suite(.timeLimit(.minutes(1))) struct CertificateTests {
  private let authority: PageAuthority
  private let leafKey: P256Key

  init() throws {
    let group = try Group(
      name: "crew",
      secret: unsafe SecretBytes(copying: [UInt8](repeating: 7, count: 32).span.bytes))
    authority = try PageAuthority(key: group.pageKey(), words: group.words)
    leafKey = try unsafe P256Key(of: [UInt8](repeating: 9, count: 32).span.bytes, for: "node")
  }

  /// What `openssl verify` says of a leaf; empty: nothing is wrong.
  private func complaint(_ leaf: [UInt8], _ options: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, octets) in [("ca", authority.certificate), ("leaf", leaf)] {
      let text =
        "-----BEGIN CERTIFICATE-----\n"
        + Data(octets).base64EncodedString(options: .lineLength64Characters)
        + "\n-----END CERTIFICATE-----\n"
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments =
      ["verify", "-x509_strict", "-purpose", "sslserver", "-attime", "1795000000"] + options
      + ["-CAfile", folder.appending(path: "ca").path, folder.appending(path: "leaf").path]
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? "" : text
  }

  private func leaf(_ names: [String], _ addresses: [[UInt8]]) throws -> [UInt8] {
    try authority.leaf(
      for: leafKey, names: names, addresses: addresses, unixSeconds: 1_795_000_000)
  }

  @Test func `a node's certificate is good for its names and addresses, and for no other`() throws {
    let leaf = try leaf(
      ["stage.local", "localhost"],
      [[192, 168, 1, 7], [127, 0, 0, 1], [0xFD] + Array(repeating: 1, count: 15)])
    for good in [
      ["-verify_hostname", "stage.local"], ["-verify_hostname", "localhost"],
      ["-verify_ip", "192.168.1.7"], ["-verify_ip", "127.0.0.1"],
      ["-verify_ip", "fd01:101:101:101:101:101:101:101"],
    ] {
      #expect(try complaint(leaf, good) == "")
    }
    #expect(try complaint(leaf, ["-verify_hostname", "foh.local"]).contains("ostname mismatch"))
    #expect(try complaint(leaf, ["-verify_ip", "192.168.1.8"]).contains("address mismatch"))
    #expect(try complaint(leaf, ["-attime", "1900000000"]).contains("expired"))
  }

  @Test(
    arguments: [
      (0x82, Array("stage.example.org".utf8)), (0x82, Array("evillocal".utf8)),
      (0x87, [8, 8, 8, 8]),
      (0x87, [0x20, 0x01] + Array(repeating: 0, count: 14)),
    ] as [(UInt8, [UInt8])])
  func `with the crew's key nobody makes one for the internet`(
    tag: UInt8, name: [UInt8]
  ) throws {
    let group = try Group(
      name: "crew",
      secret: unsafe SecretBytes(copying: [UInt8](repeating: 7, count: 32).span.bytes))
    let forged = try CertificateText.certificate(
      subject: CertificateText.name("forged"), issuer: CertificateText.name(authority.name),
      key: leafKey, firstDay: 20_700, lastDay: 21_000,
      extensions: [
        CertificateText.extension(
          [0x55, 0x1D, 0x11],
          DERReader.element(DERReader.Tag.sequence, DERReader.element(tag, name)))
      ], signer: group.pageKey())
    #expect(try complaint(forged, []).contains("permitted subtree violation"))
  }
}
