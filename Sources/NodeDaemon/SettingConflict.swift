/// A setting that does not go with the others.
struct SettingConflict: Error, Hashable, Sendable {
  /// The setting to blame.
  let setting: Setting
  /// What is wrong, as the end of a sentence that begins with the setting.
  let words: String

  init(_ setting: Setting, _ words: String) {
    self.setting = setting
    self.words = words
  }
}
