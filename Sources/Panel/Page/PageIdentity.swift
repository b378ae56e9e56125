internal import Cryptography
internal import NIOCore
internal import NIOSSL

/// Who a page is to browsers: its certificate, and the names by which it may be asked.
public struct PageIdentity: Hashable, Sendable {
  /// What it shows in TLS.
  public enum Certificate: Hashable, Sendable {
    /// One that the node made, DER, with its key.
    case made(certificate: [UInt8], privateKey: [UInt8])
    /// The user's own, two paths of PEM files.
    case files(certificate: String, privateKey: String)
  }

  /// Whom phones are to trust.
  public struct Authority: Hashable, Sendable {
    /// What phones call it.
    public let name: String
    /// Its certificate, DER.
    public let certificate: [UInt8]
    /// Its SHA-256.
    public let fingerprint: [UInt8]

    /// An authority that is to be handed over.
    public init(name: String, certificate: [UInt8]) {
      self.name = name
      self.certificate = certificate
      fingerprint = unsafe Digest.sha256(certificate.span.bytes)
    }

    /// The fingerprint in pairs of hexadecimal digits.
    public var fingerprintText: String {
      fingerprint.map(\.digits).joined(separator: " ")
    }
  }

  /// What it shows.
  public var certificate: Certificate
  /// Nil: the user's own, which is trusted or not without our doing.
  public var authority: Authority?
  /// The names by which the node may be asked, the best first; addresses are always fine.
  public var names: [String]

  /// An identity of these.
  public init(certificate: Certificate, authority: Authority?, names: [String]) {
    self.certificate = certificate
    self.authority = authority
    self.names = names
  }

  /// The TLS of it, and the names that the certificate adds.
  ///
  /// - Throws: words for a person.
  func context() throws(PanelError) -> (context: NIOSSLContext, names: [String]) {
    do {
      let chain: [NIOSSLCertificate]
      let key: NIOSSLPrivateKey
      switch certificate {
      case .made(let certificate, let privateKey):
        chain = [try NIOSSLCertificate(bytes: certificate, format: .der)]
        key = try NIOSSLPrivateKey(bytes: privateKey, format: .der)
      case .files(let certificate, let privateKey):
        chain = try NIOSSLCertificate.fromPEMFile(certificate)
        key = try NIOSSLPrivateKey(file: privateKey, format: .pem)
      }
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      configuration.shutdownTimeout = .seconds(1)
      let more = chain.first.map(Self.names) ?? []
      return (try NIOSSLContext(configuration: configuration), more)
    } catch {
      guard case .files(let certificate, let privateKey) = certificate else {
        throw .certificate(words: "\(error)")
      }
      throw .certificate(
        words: "\(certificate) and \(privateKey) cannot be used: \(error); both must be PEM files "
          + "that comlinkd may read, and belong together")
    }
  }

  private static func names(of certificate: NIOSSLCertificate) -> [String] {
    certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map { name in
      unsafe name.contents.withUnsafeBufferPointer { octets in
        unsafe String(decoding: octets, as: UTF8.self)
      }
    }
  }
}

extension UInt8 {
  /// Its two hexadecimal digits.
  var digits: String { String(String(Int(self) | 0x100, radix: 16, uppercase: true).dropFirst()) }
}
