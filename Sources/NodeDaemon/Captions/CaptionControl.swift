internal import Captions
internal import Remote
internal import StatusSchema
internal import Store

/// Carries out the requests about captions.
struct CaptionControl {
  let service: CaptionService
  let state: NodeState
  let writer: StateWriter

  func handle(_ request: CaptionRequest) async -> ControlResponse {
    do throws(CaptionProblem) {
      switch request {
      case .show(let query): return await show(query)
      case .begin(let line, let members):
        try await service.caption(line: line, members: members)
      case .end: try await service.endCaptions()
      case .refuse(let isOn): return await refuse(isOn)
      case .keep(let days): return try await keep(days)
      case .clear:
        let count = await service.clear()
        return .done(note: count == 1 ? "1 session deleted here" : "\(count) sessions deleted here")
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  /// Carries out a request about hosted sessions.
  func handle(_ request: SessionRequest) async -> ControlResponse {
    do throws(CaptionProblem) {
      switch request {
      case .host(let name, let line, let isSolo):
        try await service.host(name, line: line, isSolo: isSolo)
      case .join(let session): try await service.joinSession(session)
      case .leave(let session): try await service.leaveSession(session)
      case .resume(let session): try await service.resume(session)
      case .end: try await service.endSession()
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func show(_ query: CaptionQuery) async -> ControlResponse {
    if let limit = query.limit, !CaptionQuery.limitRange.contains(limit) {
      return .error(
        message: "limit must be from 1 to \(CaptionQuery.limitRange.upperBound), not \(limit)")
    }
    if let wait = query.waitSeconds, !CaptionQuery.waitRangeSeconds.contains(wait) {
      return .error(
        message:
          "waitSeconds must be from 0 to \(CaptionQuery.waitRangeSeconds.upperBound), not \(wait)")
    }
    return .captions(
      query.isKept == true ? await service.kept(query) : await service.captions(query))
  }

  /// Holds at once, whatever the disk does.
  private func refuse(_ isOn: Bool) async -> ControlResponse {
    await service.setRefuses(isOn)
    return await save(note: nil)
  }

  private func keep(_ days: Int?) async throws(CaptionProblem) -> ControlResponse {
    guard let days else { return .done(note: Self.words(days: await service.keeping.days)) }
    guard CaptionRequest.daysRange.contains(days) else {
      return .error(
        message: "days must be from 0 to \(CaptionRequest.daysRange.upperBound), not \(days)")
    }
    let count = try await service.keep(days: days)
    return await save(
      note: Self.words(days: days)
        + (count == 0 ? "" : count == 1 ? "; 1 session deleted" : "; \(count) sessions deleted"))
  }

  private static func words(days: Int) -> String {
    switch days {
    case 0: "captions are not kept"
    case 1: "captions are kept for a day"
    default: "captions are kept for \(days) days"
    }
  }

  private func save(note: String?) async -> ControlResponse {
    let kept = KeptCaptions(
      refuses: await service.desk.refuses, days: await service.keeping.days)
    do throws(StoreError) {
      try await writer.run { [state] () throws(StoreError) in try state.keep(kept) }
      guard let note else { return .ok }
      return .done(note: note)
    } catch {
      return .done(note: "it holds for this run only: \(error)")
    }
  }
}
