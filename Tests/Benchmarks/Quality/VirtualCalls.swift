import Foundation
import TestKit
import TestRig

/// The same calls in virtual time, made by the stations of the tests: the same each time, and nobody's clock matters.
struct VirtualCalls {
  let speech: QualitySpeech
  let profile: QualityProfile
  let periodFrames: Int
  let seed: Int
  let directory: TemporaryDirectory

  /// Makes all calls and reads what came of them, by the name of the network.
  ///
  /// - Throws: `RigError`.
  func make(
    over links: [QualityLink]
  ) throws(RigError) -> [String: (recorded: [Float], reading: QualityReading)] {
    var job = QualityJob(
      speechPath: directory.file("speech.f32"), starts: speech.starts, folder: directory.path,
      periodFrames: periodFrames, profile: profile.name, seed: UInt64(seed))
    job.calls = links.map { QualityJob.Call(name: $0.name, options: $0.options) }
    try RawSound.write(speech.samples, to: job.speechPath)
    let path = directory.file("calls.json")
    guard let data = try? JSONEncoder().encode(job),
      FileManager.default.createFile(atPath: path, contents: data)
    else { throw .file(path: path, reason: "cannot be written") }
    try run(jobPath: path)
    var result: [String: (recorded: [Float], reading: QualityReading)] = [:]
    for link in links {
      let path = directory.file("\(link.name).json")
      guard
        let reading = FileManager.default.contents(atPath: path)
          .flatMap({ try? JSONDecoder().decode(QualityReading.self, from: $0) })
      else { throw .file(path: path, reason: "is no reading") }
      result[link.name] = (try RawSound.read(directory.file("\(link.name).f32")), reading)
    }
    return result
  }

  /// `./dev` has built the tests with these options.
  private func run(jobPath: String) throws(RigError) {
    let root = Executables.sourceRoot
    let workshop = try ChildProcess(
      "swift",
      [
        "test", "--package-path", root, "--scratch-path", "\(root)/.build-core", "--skip-build",
        "--disable-xctest", "-Xswiftc", "-O", "--filter", "QualityRun",
      ],
      environment: ["COMLINK_CORE_ONLY": "1", QualityJob.variable: jobPath],
      outputPath: directory.file("calls.log"))
    let status = try workshop.wait(within: 1800)
    guard status == 0 else {
      throw .ended(command: workshop.command, status: status, output: workshop.outputTail())
    }
  }
}
