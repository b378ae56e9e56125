/// Objects by key, walked in the order they came: the same run from the same seed.
struct OrderedTable<Key: Hashable, Value: AnyObject> {
  private(set) var values: [Value] = []
  private var keys: [Key] = []
  private var indexByKey: [Key: Int] = [:]

  var count: Int { values.count }

  /// The object of a key; nil removes it, at a cost that grows with the table.
  subscript(key: Key) -> Value? {
    get { indexByKey[key].map { values[$0] } }
    set {
      if let newValue {
        insert(newValue, key)
      } else {
        remove(key)
      }
    }
  }

  private mutating func insert(_ value: Value, _ key: Key) {
    if let index = indexByKey[key] {
      values[index] = value
    } else {
      indexByKey[key] = values.count
      keys.append(key)
      values.append(value)
    }
  }

  private mutating func remove(_ key: Key) {
    guard let index = indexByKey.removeValue(forKey: key) else { return }
    keys.remove(at: index)
    values.remove(at: index)
    for position in index..<keys.count { indexByKey[keys[position]] = position }
  }
}
