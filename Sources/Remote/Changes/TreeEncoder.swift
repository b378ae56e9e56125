/// Turns values into trees without going through text.
enum TreeEncoder {
  /// The value as a tree; figures are rounded to a thousandth, so that what does not change to the eye is no change.
  static func tree(of value: some Encodable) throws -> JSONTree {
    let place = Place()
    try value.encode(to: PlaceEncoder(place: place, codingPath: []))
    return place.tree
  }
}

/// Where one value of a tree is put.
private final class Place {
  enum Content {
    case value(JSONTree)
    case members([String: Part])
    case elements([Place])
  }

  /// A member: what is known already needs no place.
  enum Part {
    case value(JSONTree)
    case place(Place)

    var tree: JSONTree {
      switch self {
      case .value(let tree): tree
      case .place(let place): place.tree
      }
    }
  }

  var content = Content.members([:])

  var tree: JSONTree {
    switch content {
    case .value(let tree): tree
    case .members(let parts): .object(parts.mapValues(\.tree))
    case .elements(let places): .array(places.map(\.tree))
    }
  }

  /// The place of a member.
  func member(_ key: String) -> Place {
    let place = Place()
    set(.place(place), of: key)
    return place
  }

  /// Sets a member.
  func set(_ part: Part, of key: String) {
    if case .members(var parts) = content {
      content = .members([:])
      parts[key] = part
      content = .members(parts)
    } else {
      content = .members([key: part])
    }
  }

  /// The place of a further element.
  func element() -> Place {
    let place = Place()
    if case .elements(var places) = content {
      content = .elements([])
      places.append(place)
      content = .elements(places)
    } else {
      content = .elements([place])
    }
    return place
  }

  func set(_ tree: JSONTree) { content = .value(tree) }

  func set(_ number: Double) { set(Self.tree(number)) }

  func set(whole number: some BinaryInteger) {
    set(Int64(exactly: number).map { .integer($0) } ?? .number(Double(number)))
  }

  static func tree(_ number: Double) -> JSONTree {
    let rounded = (number * 1000).rounded() / 1000
    return rounded.isFinite ? .number(rounded) : .number(number)
  }

  /// Whatever has a shape of its own.
  func set(_ value: some Encodable, at codingPath: [any CodingKey]) throws {
    switch value {
    case let text as String: set(.text(text))
    case let isTrue as Bool: set(.bool(isTrue))
    case let number as Double: set(number)
    case let number as Int: set(whole: number)
    default: try value.encode(to: PlaceEncoder(place: self, codingPath: codingPath))
    }
  }
}

private struct PlaceEncoder: Encoder {
  let place: Place
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .value = place.content { place.content = .members([:]) }
    return KeyedEncodingContainer(Members<Key>(place: place, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    place.content = .elements([])
    return Elements(place: place, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    Single(place: place, codingPath: codingPath)
  }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: Place
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) { set(.null, key) }

  // What most members are is set without a look at what it is.
  mutating func encode(_ value: String, forKey key: Key) { set(.text(value), key) }
  mutating func encode(_ value: Bool, forKey key: Key) { set(.bool(value), key) }
  mutating func encode(_ value: Double, forKey key: Key) { set(Place.tree(value), key) }
  mutating func encode(_ value: Int, forKey key: Key) { set(.integer(Int64(value)), key) }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    try place.member(key.stringValue).set(value, at: codingPath + [key])
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    PlaceEncoder(place: place.member(key.stringValue), codingPath: codingPath + [key])
      .container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    PlaceEncoder(place: place.member(key.stringValue), codingPath: codingPath + [key])
      .unkeyedContainer()
  }

  private func set(_ tree: JSONTree, _ key: Key) { place.set(.value(tree), of: key.stringValue) }

  mutating func superEncoder() -> any Encoder {
    PlaceEncoder(place: place.member("super"), codingPath: codingPath)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    PlaceEncoder(place: place.member(key.stringValue), codingPath: codingPath + [key])
  }
}

private struct Elements: UnkeyedEncodingContainer {
  let place: Place
  let codingPath: [any CodingKey]

  var count: Int {
    if case .elements(let places) = place.content { places.count } else { 0 }
  }

  mutating func encodeNil() { place.element().set(.null) }

  mutating func encode(_ value: some Encodable) throws {
    try place.element().set(value, at: codingPath)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    PlaceEncoder(place: place.element(), codingPath: codingPath).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    PlaceEncoder(place: place.element(), codingPath: codingPath).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    PlaceEncoder(place: place.element(), codingPath: codingPath)
  }
}

private struct Single: SingleValueEncodingContainer {
  let place: Place
  let codingPath: [any CodingKey]

  mutating func encodeNil() { place.set(.null) }
  mutating func encode(_ value: Bool) { place.set(.bool(value)) }
  mutating func encode(_ value: String) { place.set(.text(value)) }
  mutating func encode(_ value: Double) { place.set(value) }
  mutating func encode(_ value: Float) { place.set(Double(value)) }
  mutating func encode(_ value: Int) { place.set(whole: value) }
  mutating func encode(_ value: Int8) { place.set(whole: value) }
  mutating func encode(_ value: Int16) { place.set(whole: value) }
  mutating func encode(_ value: Int32) { place.set(whole: value) }
  mutating func encode(_ value: Int64) { place.set(whole: value) }
  mutating func encode(_ value: UInt) { place.set(whole: value) }
  mutating func encode(_ value: UInt8) { place.set(whole: value) }
  mutating func encode(_ value: UInt16) { place.set(whole: value) }
  mutating func encode(_ value: UInt32) { place.set(whole: value) }
  mutating func encode(_ value: UInt64) { place.set(whole: value) }
  mutating func encode(_ value: some Encodable) throws {
    try place.set(value, at: codingPath)
  }
}
