internal import Glibc
internal import Panel
internal import WebService

/// Uploads in a bucket: this node signs addresses for them, and fetches what is to be sent.
struct S3Store: UploadStore {
  private let bucket: S3Bucket
  private let client: WebClient

  /// Throws words where the settings do not make one; nil: no bucket is wanted.
  init?(_ settings: S3Settings) throws(SecretLine.Problem) {
    guard let endpoint = settings.endpoint else { return nil }
    let keys = try SecretLine.read(settings.keyFile, of: .s3KeyFile) ?? ""
    let parts = keys.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else {
      throw SecretLine.Problem(
        description: "s3-key-file \(settings.keyFile) is not ACCESS_KEY:SECRET_KEY")
    }
    bucket = S3Bucket(
      endpoint: endpoint, name: settings.bucket, region: settings.region,
      accessKey: String(parts[0]), secretKey: String(parts[1]))
    client = WebClient()
  }

  /// How long somebody who wants to hear something waits for the service, seconds.
  private static let patience = 10

  private static func key(of id: String) -> String { "comlink/\(id)" }

  /// No upload's ID has a slash.
  private static func key(ofSound hash: String) -> String { key(of: "sent/\(hash).ogg") }

  private static var now: Int64 { Int64(time(nil)) }

  func place(of id: String) -> String { bucket.address(of: Self.key(of: id)) }

  func address(
    of id: String, type: String, byteCount: Int, seconds: Int
  ) -> (url: String, headers: [String: String]) {
    var grant = S3Bucket.Grant(.put, Self.key(of: id), seconds: seconds)
    // The length as well: nobody fills the bucket with more than was asked for.
    grant.headers = [("content-type", type), ("content-length", "\(byteCount)")]
    let target = bucket.presigned(grant, unixSeconds: Self.now)
    return (bucket.endpoint.root.text + target, ["Content-Type": type])
  }

  func file(_ id: String, byteCount: Int) async throws(RestFault) -> [UInt8] {
    let grant = S3Bucket.Grant(.get, Self.key(of: id), seconds: 60)
    var request = bucket.request(grant, unixSeconds: Self.now)
    request.answerBytes = max(byteCount, 64 * 1024)
    let answer: WebAnswer
    do throws(WebFault) {
      answer = try await client.ask(request)
    } catch {
      throw RestFault(.failed, "the S3 service does not answer: \(error); try again later")
    }
    switch answer.status {
    case 200 where answer.content.count == byteCount: return answer.content
    case 200:
      throw RestFault(
        .unprocessable,
        "the upload has \(answer.content.count) bytes, not \(byteCount); ask for another address")
    case 404: throw RestFault(.conflict, "the audio is not all there yet; PUT it first")
    case 403:
      throw RestFault(
        .failed, "the S3 service refuses this node's keys; see s3-key-file and the bucket's rights")
    default:
      throw RestFault(.failed, "the S3 service answered with \(answer.status); try again later")
    }
  }

  func keep(_ audio: [UInt8], as hash: String) async -> Bool {
    var grant = S3Bucket.Grant(.put, Self.key(ofSound: hash), seconds: 60)
    grant.headers = [("content-type", "audio/ogg"), ("content-length", "\(audio.count)")]
    var request = bucket.request(grant, unixSeconds: Self.now)
    (request.content, request.seconds) = (audio, Self.patience)
    return await isGranted(request)
  }

  func link(to hash: String, seconds: Int) async -> String? {
    let key = Self.key(ofSound: hash)
    var request = bucket.request(S3Bucket.Grant(.head, key, seconds: 60), unixSeconds: Self.now)
    request.seconds = Self.patience
    guard await isGranted(request) else { return nil }
    let grant = S3Bucket.Grant(.get, key, seconds: seconds)
    return bucket.endpoint.root.text + bucket.presigned(grant, unixSeconds: Self.now)
  }

  private func isGranted(_ request: WebRequest) async -> Bool {
    do throws(WebFault) {
      return try await client.ask(request).status == 200
    } catch {
      return false
    }
  }

  /// Ends what is under way; once.
  func stop() async { await client.stop() }
}
