internal import ArgumentParser
internal import Doctor
internal import FoundationEssentials
internal import Glibc
internal import Remote
internal import StatusSchema
internal import Store

/// `comlink doctor`: what keeps this machine from carrying voices well, and what to do about it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Finds what keeps this machine from carrying voice well.",
    discussion: """
      Each finding is ok, advice or a problem: what the doctor saw, what it means and how to fix it. It works without a \
      running comlinkd, and sees more with one. --fix makes the safe changes, as root: kernel settings, Wi-Fi power \
      save off, and new files under /etc; it overwrites none. The exit code is 0 without problems, otherwise 1.
      """)

  @Flag(help: "Makes the safe changes and checks again; needs root.") var fix = false
  @Flag(help: "Prints JSON: an array of findings, keys sorted.") var json = false
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    if fix, geteuid() != 0 {
      throw RemoteFailure.needsRoot(command: "comlink doctor --fix")
    }
    let doctor = Doctor(patient: patient())
    var findings = doctor.examine()
    if fix {
      for outcome in Repairer().repair(findings.filter { $0.level != .ok }) {
        PlainText.note(outcome.words)
      }
      findings = doctor.examine()
    }
    print(try text(of: findings), terminator: "")
    if findings.contains(where: { $0.level == .problem }) { throw ExitCode.failure }
  }

  private func text(of findings: [Finding]) throws(RemoteFailure) -> String {
    guard json else { return FindingTable.text(findings) }
    do throws(RemoteError) {
      return try JSONLine.pretty(findings) + "\n"
    } catch {
      throw .remote(error)
    }
  }

  private func patient() -> Patient {
    var patient = Patient(userName: Self.userName, userID: geteuid())
    patient.statePath = StatePath.standard(environment: ProcessInfo.processInfo.environment)
    // Another socket than the usual one is that of another daemon.
    patient.serviceStatePath = remote.control == nil ? StatePath.system : nil
    do throws(RemoteFailure) {
      var client = try remote.connect()
      guard case .status(let status) = try RemoteOptions.answer(of: &client, to: .status) else {
        throw .unexpectedAnswer
      }
      patient.process = client.serverProcess
      patient.status = status
    } catch {
      patient.silence = "\(error)"
    }
    return patient
  }

  private static var userName: String {
    guard let entry = unsafe getpwuid(geteuid()) else { return "USER" }
    return unsafe String(cString: entry.pointee.pw_name)
  }
}
