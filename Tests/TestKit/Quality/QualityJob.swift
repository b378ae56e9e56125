import FoundationEssentials

/// Calls to be made in virtual time: what `./dev bench quality --virtual` asks the tests' virtual stations for.
///
/// Sounds are files of 32-bit floats at 48 kHz.
public struct QualityJob: Codable, Sendable {
  /// A call over one network.
  public struct Call: Codable, Sendable {
    /// What its files are called: NAME.f32 for what was heard, NAME.json for the `QualityReading`.
    public var name: String
    /// Options of `comlink-link`.
    public var options: [String]
    /// What the network draws its chances from.
    public var seed: UInt64

    /// Makes a call.
    public init(name: String, options: [String], seed: UInt64) {
      self.name = name
      self.options = options
      self.seed = seed
    }
  }

  /// The environment variable that names the job's file.
  public static let variable = "COMLINK_QUALITY_JOB"

  /// What the talker says.
  public var speechPath: String
  /// Where in it the judged pieces begin.
  public var starts: [Int]
  /// Where results go.
  public var folder: String
  /// Of both devices.
  public var periodFrames: Int
  /// What both stations are told, by the name that `comlinkd --profile` knows.
  public var profile: String
  /// Most payload to one peer, kbit/s; nil: what the profile says.
  public var bitrateMaxKilobits: Int?
  /// One after the other.
  public var calls: [Call]

  /// Makes a job without calls.
  public init(
    speechPath: String, starts: [Int], folder: String, periodFrames: Int, profile: String
  ) {
    self.speechPath = speechPath
    self.starts = starts
    self.folder = folder
    self.periodFrames = periodFrames
    self.profile = profile
    calls = []
  }

  /// The job that this process was started for, if any.
  public static let given: QualityJob? = {
    guard let path = ProcessInfo.processInfo.environment[variable],
      let data = FileManager.default.contents(atPath: path)
    else { return nil }
    return try? JSONDecoder().decode(QualityJob.self, from: data)
  }()
}
