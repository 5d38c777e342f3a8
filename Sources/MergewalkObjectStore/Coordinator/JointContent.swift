import MergewalkObjectModel
import MergewalkPropertyLists

/// The bytes of what a save over several stores writes: a digest, and a binary property list.
enum JointContent {
  private static let mark = Array("mergewalk joint save 1\n".utf8)
  private static let digestLength = 32

  private enum Key {
    static let path = "path", identifier = "identifier", saves = "saves"
    static let changes = "changes", schema = "schema", file = "file", former = "former"
  }

  /// - Parameter first: The store beside which the bytes will lie: those in its folder have no folder of their own, so
  ///   that they may move together.
  static func bytes(_ parts: [JointJournal.Part], from first: String) -> [UInt8] {
    let folder = FileSystem.folder(of: first) + "/"
    func name(_ path: String) -> PropertyList {
      .string(path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path)
    }
    let list = parts.map { part -> PropertyList in
      let saves = part.saves.sorted { $0.key < $1.key }.map { PropertyList.Entry($0.key, .integer($0.value)) }
      var entries = [
        PropertyList.Entry(Key.path, name(part.path)), PropertyList.Entry(Key.identifier, .string(part.identifier)),
        PropertyList.Entry(Key.saves, .dictionary(saves)),
      ]
      switch part.content {
      case .rows(let bytes, let schema):
        entries.append(PropertyList.Entry(Key.changes, .data(bytes)))
        entries.append(PropertyList.Entry(Key.schema, .integer(schema)))
      case .file(let path, let former):
        entries.append(PropertyList.Entry(Key.file, name(path)))
        entries.append(PropertyList.Entry(Key.former, .array(former.map { .integer($0) })))
      }
      return .dictionary(entries)
    }
    let body = BinaryPropertyListWriter.write(.array(list))
    return mark + digest(body) + body
  }

  /// Reads what ``bytes(_:from:)`` wrote; `nil` when it is not whole.
  ///
  /// - Parameter folder: The folder of the store beside which the bytes lie.
  static func parts(_ bytes: [UInt8], folder: String) -> [JointJournal.Part]? {
    let start = mark.count + digestLength
    guard bytes.count > start, bytes.starts(with: mark) else { return nil }
    let body = Array(bytes[start...])
    guard Array(bytes[mark.count..<start]) == digest(body), let list = try? BinaryPropertyListReader.read(body),
      let elements = list.elements
    else { return nil }
    func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }
    var parts: [JointJournal.Part] = []
    for element in elements {
      guard let entries = element.entries, let name = entries[key: Key.path]?.string,
        let identifier = entries[key: Key.identifier]?.string
      else { return nil }
      var saves: [String: Int64] = [:]
      for entry in entries[key: Key.saves]?.entries ?? [] { saves[entry.key] = entry.value.integer }
      let content: JointJournal.Part.Content
      if let changes = entries[key: Key.changes]?.data, let schema = entries[key: Key.schema]?.integer {
        content = .rows(changes, schema: schema)
      } else if let file = entries[key: Key.file]?.string, let former = entries[key: Key.former]?.elements {
        content = .file(path(file), former: former.compactMap(\.integer))
      } else {
        return nil
      }
      parts.append(JointJournal.Part(path: path(name), identifier: identifier, saves: saves, content: content))
    }
    return parts
  }

  private static func digest(_ bytes: [UInt8]) -> [UInt8] {
    let stream = DigestStream()
    bytes.withUnsafeBytes { stream.add($0) }
    return stream.finish()
  }
}
