internal import ArgumentParser
internal import WebService

/// The bucket that voice messages of programs are uploaded to; none unless the user set one.
struct S3Settings: Hashable, Sendable {
  /// The service; nil: uploads lie at the node.
  var endpoint: WebPlace?
  /// The bucket's name.
  var bucket = ""
  /// The region that its signatures are for.
  var region = "us-east-1"
  /// The file with `ACCESS_KEY:SECRET_KEY`.
  var keyFile = ""

  /// Takes the value of a setting; throws words if it will not do.
  mutating func set(_ setting: Setting, to value: SettingValue) throws(SettingProblem) {
    switch (setting, value) {
    case (.s3Endpoint, .text(let text)): endpoint = try Configuration.webPlace(text)
    case (.s3Bucket, .text(let text)):
      guard text.isEmpty || Self.isName(text) else {
        throw .badValue("must have 3 to 63 letters, digits, dots and hyphens")
      }
      bucket = text
    case (.s3Region, .text(let text)):
      guard Self.isName(text) else {
        throw .badValue("must be a region's name, such as eu-central-1")
      }
      region = text
    case (.s3KeyFile, .text(let text)): keyFile = try Configuration.filePath(text)
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  private static func isName(_ text: String) -> Bool {
    (3...63).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }

  /// The value of a setting, as ``set(_:to:)`` takes it.
  func value(of setting: Setting) -> SettingValue {
    switch setting {
    case .s3Endpoint: .text(endpoint?.text ?? "")
    case .s3Bucket: .text(bucket)
    case .s3Region: .text(region)
    default: .text(keyFile)
    }
  }

  /// Throws where something is missing.
  func check() throws(SettingConflict) {
    guard endpoint != nil else { return }
    guard !bucket.isEmpty else {
      throw SettingConflict(.s3Endpoint, "needs a bucket; add s3-bucket")
    }
    guard !keyFile.isEmpty else {
      throw SettingConflict(.s3Endpoint, "needs keys; add s3-key-file")
    }
  }

  /// What a setting does, in a line.
  static func summary(of setting: Setting) -> String {
    switch setting {
    case .s3Endpoint:
      "S3 service that programs upload voice messages to, https://s3.example.org; empty: this node."
    case .s3Bucket: "Bucket of that service."
    case .s3Region: "Region that its signatures are for."
    default: "File with ACCESS_KEY:SECRET_KEY of that service."
    }
  }
}

/// The flags of S3 and of the mirror.
struct UploadFlags: ParsableArguments {
  @Option(help: Help.of(.s3Endpoint)) var s3Endpoint: String?
  @Option(help: Help.of(.s3Bucket)) var s3Bucket: String?
  @Option(help: Help.of(.s3Region)) var s3Region: String?
  @Option(help: Help.of(.s3KeyFile)) var s3KeyFile: String?
  @Option(help: Help.of(.uploadURL)) var uploadUrl: String?
  @Option(help: Help.of(.uploadTokenFile)) var uploadTokenFile: String?
  @Option(help: Help.of(.uploadAuthorities)) var uploadAuthorities: String?
  @Option(help: Help.of(.uploadFrom)) var uploadFrom: [String] = []

  /// What was given, without the list.
  var texts: [(Setting, String?)] {
    [
      (.s3Endpoint, s3Endpoint), (.s3Bucket, s3Bucket), (.s3Region, s3Region),
      (.s3KeyFile, s3KeyFile), (.uploadURL, uploadUrl), (.uploadTokenFile, uploadTokenFile),
      (.uploadAuthorities, uploadAuthorities),
    ]
  }
}
