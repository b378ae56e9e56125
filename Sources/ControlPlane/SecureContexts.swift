internal import Cryptography
internal import NIOCore
internal import NIOSSL

/// The TLS contexts: 1.3 only, Ed25519 only, certificates at both ends, no authority.
///
/// Neither end resumes sessions: clients keep none, and a server takes an end whose certificate was not shown in this
/// very handshake for nobody (``SecureConnection``), so that a ticket of it is worth nothing.
struct SecureContexts: Sendable {
  /// For connections that others open, of both purposes.
  let accepting: NIOSSLContext
  /// For control connections that we open.
  let dialling: NIOSSLContext
  /// For pairing connections that we open.
  let pairing: NIOSSLContext

  init(
    identity: any ControlIdentity, closeNanoseconds: Int64
  ) throws(ControlPlaneError) {
    do {
      let certificate = try NIOSSLCertificate(
        bytes: NodeCertificate.make(for: identity), format: .der)
      let key = NIOSSLPrivateKey(customPrivateKey: IdentityKey(identity))
      var server = TLSConfiguration.makeServerConfiguration(
        certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
      Self.restrict(&server, Purpose.allCases, closeNanoseconds)
      accepting = try NIOSSLContext(configuration: server)
      var client = TLSConfiguration.makeClientConfiguration()
      client.certificateChain = [.certificate(certificate)]
      client.privateKey = .privateKey(key)
      Self.restrict(&client, [.control], closeNanoseconds)
      dialling = try NIOSSLContext(configuration: client)
      Self.restrict(&client, [.pairing], closeNanoseconds)
      pairing = try NIOSSLContext(configuration: client)
    } catch {
      throw .identity(words: "\(error)")
    }
  }

  private static func restrict(
    _ configuration: inout TLSConfiguration, _ purposes: [Purpose], _ closeNanoseconds: Int64
  ) {
    configuration.minimumTLSVersion = .tlsv13
    configuration.maximumTLSVersion = .tlsv13
    configuration.signingSignatureAlgorithms = [.ed25519]
    configuration.verifySignatureAlgorithms = [.ed25519]
    // Demands a certificate; what is in it is looked at by the callback alone.
    configuration.certificateVerification = .noHostnameVerification
    configuration.trustRoots = .certificates([])
    configuration.applicationProtocols = purposes.map(\.rawValue)
    configuration.shutdownTimeout = .nanoseconds(closeNanoseconds)
  }
}
