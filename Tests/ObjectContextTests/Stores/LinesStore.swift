import MergewalkObjectModel
import MergewalkObjectStore
import Synchronization
import MergewalkPropertyLists

/// An atomic store as a program would write one, with the public interface alone: lines of words.
final class LinesStore: AtomicStore {
  /// Makes the next save fail half-way.
  static let failingPaths = Mutex<Set<String>>([])

  func save(_ contents: StoreContents, to path: String) throws(StoreError) {
    try AtomicFile.replace(path) { file throws(StoreError) in
      let list = PropertyList.dictionary(contents.metadata.entries)
      try file.write("M \(contents.metadata.uuid) \(hex(BinaryPropertyListWriter.write(list)))\n")
      for root in contents.rootEntities { try file.write("S \(root.name) \(contents.maximum(of: root))\n") }
      if LinesStore.failingPaths.withLock({ $0.contains(path) }) {
        throw StoreError(.customStore, path: path, message: "the test wants this save to fail")
      }
      try contents.forEachObject { object throws(StoreError) in
        try file.write("O \(object.entity.name) \(object.primaryKey) \(object.version)\n")
        for attribute in object.entity.attributes {
          let value = object.value(of: attribute)
          if value != .null { try file.write("A \(attribute.name) \(words(value))\n") }
        }
        for relationship in object.entity.relationships where !relationship.isTransient {
          let others = try object.references(of: relationship)
          if others.isEmpty { continue }
          let list = others.map { "\($0.entity.name):\($0.primaryKey)" }.joined(separator: " ")
          try file.write("R \(relationship.name) \(list)\n")
        }
      }
    }
  }

  func load(from path: String, into filler: StoreFiller) throws(StoreError) {
    var entity: EntityDescription?
    for line in try lines(path) {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      switch words[0] {
      case "M": filler.metadata = try metadata(line, path)
      case "S": filler.setMaximum(Int64(words[2]) ?? 0, of: try required(filler.model.entity(named: words[1]), path))
      case "O":
        if entity != nil { try filler.end() }
        let found = try required(filler.model.entity(named: words[1]), path)
        entity = found
        try filler.begin(found, primaryKey: Int64(words[2]) ?? 0, version: Int64(words[3]) ?? 0)
      case "A":
        let attribute = try required(entity?.attribute(named: words[1]), path)
        try filler.set(try required(value(words[2], words[3]), path), for: attribute)
      case "R":
        let relationship = try required(entity?.relationship(named: words[1]), path)
        var others: [StoredReference] = []
        for word in words.dropFirst(2) {
          let parts = word.split(separator: ":").map(String.init)
          others.append(
            StoredReference(try required(filler.model.entity(named: parts[0]), path), Int64(parts[1]) ?? 0))
        }
        try filler.set(others, for: relationship)
      default: throw StoreError(.damagedFile, path: path, message: "a line starts with \(words[0])")
      }
    }
    if entity != nil { try filler.end() }
  }

  func readMetadata(from path: String) throws(StoreError) -> StoreMetadata {
    try metadata(try required(try lines(path).first, path), path)
  }

  // MARK: - Words

  private func lines(_ path: String) throws(StoreError) -> [String] {
    guard let text = try? String(decoding: Bytes.read(path), as: UTF8.self) else {
      throw StoreError(.notFound, path: path, message: "there is no file")
    }
    return text.split(separator: "\n").map(String.init)
  }

  private func metadata(_ line: String, _ path: String) throws(StoreError) -> StoreMetadata {
    let words = line.split(separator: " ").map(String.init)
    let list = try? BinaryPropertyListReader.read(try required(bytes(words[2]), path))
    return StoreMetadata(uuid: words[1], entries: try required(list?.entries, path))
  }

  private func required<Value>(_ value: Value?, _ path: String) throws(StoreError) -> Value {
    guard let value else { throw StoreError(.damagedFile, path: path, message: "something is missing") }
    return value
  }

  private func words(_ value: AttributeValue) -> String {
    switch value {
    case .null: "null -"
    case .boolean(let flag): "boolean \(flag)"
    case .integer(let number): "integer \(number)"
    case .double(let number): "double \(number.bitPattern)"
    case .date(let number): "date \(number.bitPattern)"
    case .decimal(let number): "decimal \(number)"
    case .string(let text): "string \(hex(Array(text.utf8)))"
    case .uri(let text): "uri \(hex(Array(text.utf8)))"
    case .binary(let data): "binary \(hex(data))"
    case .uuid(let high, let low): "uuid \(high):\(low)"
    }
  }

  private func value(_ kind: String, _ word: String) -> AttributeValue? {
    switch kind {
    case "boolean": .boolean(word == "true")
    case "integer": Int64(word).map { .integer($0) }
    case "double": UInt64(word).map { .double(Double(bitPattern: $0)) }
    case "date": UInt64(word).map { .date(Double(bitPattern: $0)) }
    case "decimal": DecimalNumber(word).map { .decimal($0) }
    case "string": bytes(word).map { .string(String(decoding: $0, as: UTF8.self)) }
    case "uri": bytes(word).map { .uri(String(decoding: $0, as: UTF8.self)) }
    case "binary": bytes(word).map { .binary($0) }
    case "uuid":
      { parts in parts.count == 2 ? .uuid(parts[0], parts[1]) : nil }(
        word.split(separator: ":").compactMap { UInt64($0) })
    default: nil
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
  }

  private func bytes(_ hex: String) -> [UInt8]? {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
