internal import Cryptography
internal import Glibc

/// A bucket of a service that speaks S3, and what lets this node in.
public struct S3Bucket: Sendable {
  /// What a presigned address may be used for.
  public struct Grant: Sendable {
    /// By which method.
    public var method: WebRequest.Method
    /// The object's key: path segments of letters, digits, `-`, `_`, `.`, and others, which are encoded.
    public var key: String
    /// Headers that the request must have, with these very values; names in lower case.
    public var headers: [(name: String, value: String)] = []
    /// How long it can be used, seconds, 1…604 800.
    public var seconds: Int

    /// A grant without headers.
    public init(_ method: WebRequest.Method, _ key: String, seconds: Int) {
      (self.method, self.key, self.seconds) = (method, key, seconds)
    }
  }

  /// The service, without the bucket.
  public let endpoint: WebPlace
  /// The bucket's name.
  public let name: String
  /// The region that signatures are for.
  public let region: String
  private let accessKey: String
  private let secretKey: String

  /// A bucket; nothing is asked yet.
  public init(
    endpoint: WebPlace, name: String, region: String, accessKey: String, secretKey: String
  ) {
    (self.endpoint, self.name, self.region) = (endpoint, name, region)
    (self.accessKey, self.secretKey) = (accessKey, secretKey)
  }

  /// The object's address, without rights (path style).
  public func address(of key: String) -> String {
    "\(endpoint.isSecure ? "https" : "http")://\(endpoint.authority)\(path(of: key))"
  }

  private func path(of key: String) -> String {
    "\(endpoint.path)/\(PercentEncoding.text(name, keeping: "/"))/\(PercentEncoding.text(key, keeping: "/"))"
  }

  /// Signs an address by AWS Signature Version 4, query parameters, unsigned payload.
  ///
  /// Source: AWS, Authenticating Requests: Using Query Parameters (Signature Version 4).
  ///
  /// - Returns: path and query, as they follow the endpoint's host.
  public func presigned(_ grant: Grant, unixSeconds: Int64) -> String {
    let (date, time) = Self.stamp(unixSeconds)
    let scope = "\(date)/\(region)/s3/aws4_request"
    let headers = (grant.headers + [("host", endpoint.authority)]).sorted { $0.name < $1.name }
    let names = headers.map(\.name).joined(separator: ";")
    let parameters = [
      ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(accessKey)/\(scope)"),
      ("X-Amz-Date", time), ("X-Amz-Expires", "\(grant.seconds)"), ("X-Amz-SignedHeaders", names),
    ]
    let query = parameters.map { "\($0.0)=\(PercentEncoding.text($0.1))" }.joined(separator: "&")
    let target = path(of: grant.key)
    let lines = [grant.method.rawValue, target, query] + headers.map { "\($0.name):\($0.value)" }
    let request = (lines + ["", names, "UNSIGNED-PAYLOAD"]).joined(separator: "\n")
    let hash = unsafe Digest.hexadecimal(Digest.sha256(Array(request.utf8).span.bytes))
    let statement = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
    var key = Array("AWS4\(secretKey)".utf8)
    for part in [date, region, "s3", "aws4_request"] { key = Self.tag(part, key) }
    return "\(target)?\(query)&X-Amz-Signature=\(Digest.hexadecimal(Self.tag(statement, key)))"
  }

  /// A request for an object with the rights that this node has.
  public func request(_ grant: Grant, unixSeconds: Int64) -> WebRequest {
    var request = WebRequest(
      grant.method, endpoint.root, presigned(grant, unixSeconds: unixSeconds))
    request.headers = grant.headers
    return request
  }

  private static func tag(_ text: String, _ key: [UInt8]) -> [UInt8] {
    unsafe Digest.hmacSHA256(Array(text.utf8).span.bytes, key: key.span.bytes)
  }

  /// `20130524` and `20130524T000000Z`, in UTC.
  private static func stamp(_ unixSeconds: Int64) -> (date: String, time: String) {
    var seconds = time_t(unixSeconds)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = unsafe "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
    let clock = unsafe "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    return (date, "\(date)T\(clock)Z")
  }
}
