internal import StatusSchema

/// A recording in the ``StatusTable``.
enum RecordingLines {
  /// How it goes and where; why it ended.
  static func lines(_ recording: RecordingStatus) -> [String] {
    var line = recording.isRunning ? "record   RECORDING" : "record   ended"
    line += "  \(StatusTable.duration(recording.seconds))  \(recording.files) files"
    line += " (\(Cell.clean(recording.format)))  \(room(recording))"
    line += "  dropped \(recording.droppedFrames)"
    if recording.stalledSeconds > 0 {
      line += "  DISK STALLED for \(Fixed.text(recording.stalledSeconds, digits: 0)) s"
    }
    var lines = [line, "         \(Cell.clean(recording.path))"]
    if let problem = recording.fileProblem {
      lines.append("         \(recording.failedFiles ?? 1) FAILED: \(Cell.clean(problem))")
    }
    if let reason = recording.endReason {
      let mark = recording.hasFailed == true ? "FAILED: " : ""
      lines.append("         \(mark)\(Cell.clean(reason))")
    }
    return lines
  }

  /// How much it has and may have, and how long that lasts.
  static func room(_ recording: RecordingStatus) -> String {
    let left = recording.secondsLeft.map { ", room for \(StatusTable.duration($0))" } ?? ""
    return "\(size(recording.bytes)) of \(size(recording.mostBytes))\(left)"
  }

  private static func size(_ bytes: Int) -> String {
    for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where Double(bytes) >= size {
      return "\(Fixed.text(Double(bytes) / size, digits: 1)) \(unit)"
    }
    return "\(bytes) B"
  }
}
