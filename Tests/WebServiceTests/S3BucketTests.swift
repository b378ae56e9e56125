import Testing

@testable import WebService

/// Addresses are held against boto3's, octet for octet; Tests/Quality/presign.py made them.
@Suite struct S3BucketTests {
  struct Case {
    var endpoint: String
    var name = "voices"
    var region: String
    var grant: S3Bucket.Grant
    var address: String
  }

  private static func put(_ headers: [(name: String, value: String)]) -> S3Bucket.Grant {
    var grant = S3Bucket.Grant(.put, "comlink/a1b2.ogg", seconds: 900)
    grant.headers = headers
    return grant
  }

  /// What boto3 says, but for what all have.
  static let cases = [
    Case(
      endpoint: "http://127.0.0.1:8333", region: "us-east-1",
      grant: put([("content-type", "audio/ogg")]),
      address: "http://127.0.0.1:8333/voices/comlink/a1b2.ogg?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIDEXAMPLE%2F20261129%2Fus-east-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20261129T080509Z&X-Amz-Expires=900"
        + "&X-Amz-SignedHeaders=content-type%3Bhost&X-Amz-Signature="
        + "4ce501fa40df0d41cdf92f9b40822a5e2d9eb8f791b74c39f5501c6bef5d890d"),
    Case(
      endpoint: "http://127.0.0.1:8333", region: "us-east-1",
      grant: put([("content-type", "audio/wav"), ("content-length", "48044")]),
      address: "http://127.0.0.1:8333/voices/comlink/a1b2.ogg?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIDEXAMPLE%2F20261129%2Fus-east-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20261129T080509Z&X-Amz-Expires=900"
        + "&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&X-Amz-Signature="
        + "75eb86077762bac37869ece2ad9ed3786ad25c2b1a7291c089878ea3d81a346e"),
    Case(
      endpoint: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1",
      grant: S3Bucket.Grant(.get, "comlink/a1b2.ogg", seconds: 60),
      address: "https://s3.eu-central-1.amazonaws.com/voices/comlink/a1b2.ogg"
        + "?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIDEXAMPLE%2F20261129%2Feu-central-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20261129T080509Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=7892080c2628e3a5022552086a76846b5a609dbd2fa498ab767e8029f7789523"),
    Case(
      endpoint: "https://storage.example.org/s3", name: "my.bucket-1", region: "garage",
      grant: S3Bucket.Grant(.get, "a b/ü+&=~_.ogg", seconds: 604_800),
      address: "https://storage.example.org/s3/my.bucket-1/a%20b/%C3%BC%2B%26%3D~_.ogg"
        + "?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIDEXAMPLE%2F20261129%2Fgarage%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20261129T080509Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=76e24805808be6f60c7e4f259bff9cc0e40a52bc407b01d61659a0d6f9a8e4e9"),
  ]

  @Test(arguments: cases.indices)
  func `a presigned address is boto3's, octet for octet`(index: Int) throws {
    let one = Self.cases[index]
    let bucket = S3Bucket(
      endpoint: try WebPlace(one.endpoint), name: one.name, region: one.region,
      accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    // 2026-11-29 08:05:09 UTC.
    let address = bucket.address(of: one.grant.key)
    let presigned = bucket.presigned(one.grant, unixSeconds: 1_795_939_509)
    #expect("\(bucket.endpoint.root.text)\(presigned)" == one.address)
    #expect(one.address.hasPrefix(address + "?"))
    let request = bucket.request(one.grant, unixSeconds: 1_795_939_509)
    #expect("\(request.place.text)\(request.target)" == one.address)
  }
}
