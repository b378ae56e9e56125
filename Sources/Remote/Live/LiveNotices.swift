internal import StatusSchema

/// What this node does that its user must not forget: a row each, none as a rule.
struct LiveNotices {
  let columns: Int

  /// A recording that runs or failed, and a loop-back.
  func rows(_ status: Status) -> [[LiveFrame.Piece]] {
    [status.recording.flatMap(recording), status.node.loopBack.map(loopBack)].compactMap { $0 }
  }

  private func recording(_ recording: RecordingStatus) -> [LiveFrame.Piece]? {
    var row = LiveRow(columns: columns)
    guard recording.isRunning else {
      guard recording.hasFailed == true else { return nil }
      row.flow("recording FAILED: \(recording.endReason ?? "")", .red)
      return row.pieces
    }
    row.flow("RECORDING \(StatusTable.duration(recording.seconds))", .red)
    if recording.stalledSeconds > 0 { row.flow("DISK STALLED", .red) }
    if let failed = recording.failedFiles, failed > 0 { row.flow("\(failed) FAILED", .red) }
    if recording.droppedFrames > 0 { row.flow("dropped \(recording.droppedFrames)", .yellow) }
    row.flow("\(recording.files) files")
    row.flow(RecordingLines.room(recording))
    row.flow(recording.path, .dim)
    return row.pieces
  }

  private func loopBack(_ loopBack: LoopBackStatus) -> [LiveFrame.Piece] {
    var row = LiveRow(columns: columns)
    row.flow("LOOP-BACK of \(loopBack.peer), not the mic", .yellow)
    row.flow("\(StatusTable.duration(loopBack.secondsLeft)) left")
    return row.pieces
  }
}
