import Foundation

/// A page in a ``Browser``.
public final class BrowserPage: Sendable {
  private let browser: Browser
  private let session: String

  init(_ browser: Browser, _ session: String) {
    self.browser = browser
    self.session = session
  }

  /// Goes to an address; returns when it is loaded.
  ///
  /// - Throws: `RigError.status` with the browser's words, as of a certificate that it does not trust.
  public func go(to address: String) throws(RigError) {
    let answer = try call("Page.navigate", ["url": address])
    if let words = answer["errorText"] as? String {
      throw .status(reason: "\(address): \(words)")
    }
    try wait("document.readyState === 'complete'")
  }

  /// Gives it the size of a phone's screen in CSS pixels.
  ///
  /// - Throws: `RigError`.
  public func resize(width: Int, height: Int) throws(RigError) {
    try call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 2, "mobile": true])
    try call("Emulation.setTouchEmulationEnabled", ["enabled": true])
  }

  /// The value of an expression; a promise's is waited for.
  ///
  /// - Throws: `RigError.status` with what the page throws.
  @discardableResult
  public func value(of script: String, within seconds: Double = 20) throws(RigError) -> String {
    let answer = try call(
      "Runtime.evaluate",
      [
        "expression": "Promise.resolve(\(script)).then(String)", "awaitPromise": true,
        "returnByValue": true,
      ], within: seconds)
    let result = answer["result"] as? Browser.Message
    if let details = answer["exceptionDetails"] as? Browser.Message {
      throw .status(reason: "\(script): \(result?["description"] ?? details["text"] ?? "")")
    }
    return result?["value"] as? String ?? ""
  }

  /// Waits until an expression is true.
  ///
  /// - Throws: `RigError.timeout` with what the page shows.
  public func wait(_ script: String, within seconds: Double = 20) throws(RigError) {
    try waitUntil(
      script, within: seconds, interval: 0.02,
      detail: { (try? value(of: "document.body?.innerText")) ?? "" }
    ) { () throws(RigError) in
      // While a page loads there is nobody to ask.
      (try? value(of: "Boolean(\(script))")) == "true"
    }
  }

  /// Puts a finger on an element's middle.
  ///
  /// - Throws: `RigError`.
  public func touch(_ selector: String) throws(RigError) { try point("touchStart", at: selector) }

  /// Moves the finger to so far beside an element's middle, CSS pixels.
  ///
  /// - Throws: `RigError`.
  public func slide(on selector: String, by distance: Double) throws(RigError) {
    try point("touchMove", at: selector, right: distance)
  }

  private func point(
    _ kind: String, at selector: String, right distance: Double = 0
  ) throws(RigError) {
    let place = try value(
      of: """
        (() => { const box = document.querySelector(`\(selector)`).getBoundingClientRect(); \
        return `${box.x + box.width / 2} ${box.y + box.height / 2}` })()
        """
    ).split(separator: " ").compactMap { Double($0) }
    guard place.count == 2 else { throw .status(reason: "no \(selector) on the page") }
    try call(
      "Input.dispatchTouchEvent",
      ["type": kind, "touchPoints": [["x": place[0] + distance, "y": place[1]]]])
  }

  /// Takes the finger away.
  ///
  /// - Throws: `RigError`.
  public func release() throws(RigError) {
    try call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": [] as [String]])
  }

  /// A short touch.
  ///
  /// - Throws: `RigError`.
  public func tap(_ selector: String) throws(RigError) {
    try touch(selector)
    try release()
  }

  /// What it looks like, as a PNG file.
  ///
  /// - Throws: `RigError`.
  public func screenshot(_ path: String) throws(RigError) {
    let answer = try call("Page.captureScreenshot", ["format": "png"])
    guard let text = answer["data"] as? String, let data = Data(base64Encoded: text) else {
      throw .status(reason: "no screenshot")
    }
    do { try data.write(to: URL(filePath: path)) } catch {
      throw .file(path: path, reason: "\(error)")
    }
  }

  /// Closes the page.
  ///
  /// - Throws: `RigError`.
  public func close() throws(RigError) { try call("Page.close") }

  @discardableResult
  func call(
    _ method: String, _ parameters: [String: Any] = [:], within seconds: Double = 20
  ) throws(RigError) -> Browser.Message {
    try browser.call(method, parameters, session: session, within: seconds)
  }
}
