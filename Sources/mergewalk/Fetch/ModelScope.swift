import Diagnostics
import ObjectModel

/// What names mean in the options of a fetch: properties of an entity, columns with a name, variables of subqueries.
struct ModelScope {
  let model: ManagedObjectModel
  let entity: EntityDescription
  /// The types of columns that have a name of their own; `nil` where the type is not known.
  var columns: [String: AttributeType?] = [:]
  /// The entities of the variables of subqueries; `nil` where the entity is not known.
  var variables: [String: EntityDescription?] = [:]

  /// The text that is read, for the places of errors.
  private(set) var source = ""

  init(_ model: ManagedObjectModel, _ entity: EntityDescription) {
    self.model = model
    self.entity = entity
  }

  /// The same scope for another text.
  func reading(_ text: String) -> ModelScope {
    var scope = self
    scope.source = text
    return scope
  }

  /// What a path leads to.
  enum Target {
    case attribute(AttributeDescription)
    case objects(EntityDescription)
    case type(AttributeType?)
  }

  /// Follows a path.
  ///
  /// - Parameter start: the entity it begins at; `nil` when that is not known, and then nothing is known of the path.
  /// - Throws: `unknownKey` when an entity has no property of a name, with the nearest name as the hint.
  func target(
    _ components: [PropertyPath.Component], from start: EntityDescription?
  ) throws(PredicateError) -> Target {
    guard var entity = start else { return .type(nil) }
    var target = Target.objects(entity)
    var aggregate: CollectionOperator?
    for (index, component) in components.enumerated() {
      switch component {
      case .collectionOperator(let known):
        if known == .count { return .type(.integer64) }
        aggregate = known
      case .property(let name):
        switch target {
        case .objects: target = try property(name, of: entity, isFirst: index == 0)
        // Parts of composite attributes, and what hangs on values of which nothing is known.
        case .attribute(let attribute):
          target = attribute.elements.first { $0.name == name }.map { .attribute($0) } ?? .type(nil)
        case .type: return .type(nil)
        }
        if case .objects(let next) = target { entity = next }
      }
    }
    if aggregate == .sum || aggregate == .average, case .attribute = target { return .type(.double) }
    return target
  }

  private func property(
    _ name: String, of entity: EntityDescription, isFirst: Bool
  ) throws(PredicateError) -> Target {
    if isFirst, let column = columns[name] { return .type(column) }
    let family = model.entities[entity.index...entity.lastDescendantIndex]
    for entity in family {
      if let attribute = entity.attribute(named: name) { return .attribute(attribute) }
      if let relationship = entity.relationship(named: name) {
        return .objects(model.entities[relationship.destinationEntity])
      }
      if entity.fetchedProperties.contains(where: { $0.name == name }) { return .type(nil) }
    }
    if name == "objectID" || name == "entity" { return .type(nil) }
    var names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    if isFirst { names += columns.keys.sorted() }
    let hint = NearestName.find(name, in: names).map { "did you mean \($0)?" }
    let error = PredicateError(
      .unknownKey, "expected a property of \(entity.name), found “\(name)”",
      hint: hint ?? "it has \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? ", …" : "")")
    throw error.located(name: name, in: source)
  }

  /// The scope inside a subquery: the variable stands for the elements of a collection.
  func inside(_ variable: String, of entity: EntityDescription?) -> ModelScope {
    var scope = self
    scope.variables[variable] = .some(entity)
    return scope
  }
}

extension PredicateError {
  /// The error with the place of a text in quotes, if it stands there without escapes.
  func located(literal: String, in text: String) -> PredicateError {
    for quote in ["'", "\""] {
      let wanted = Array((quote + literal + quote).utf8)
      let bytes = Array(text.utf8)
      guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: wanted) }) else { continue }
      var error = self
      let line = bytes[..<start].count { $0 == UInt8(ascii: "\n") }
      let lineStart = bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      error.position = SourcePosition(line: line + 1, column: start - lineStart + 1, byteOffset: start)
      return error
    }
    return self
  }

  /// The error with the place of a name in the text that it comes from, if it is there.
  ///
  /// Expressions know no places, so the first word outside quotes that is the name is taken.
  func located(name: String, in text: String) -> PredicateError {
    guard position.line == 0, !name.isEmpty else { return self }
    let bytes = Array(text.utf8)
    let wanted = Array(name.utf8)
    var quote: UInt8?
    var line = 1
    var lineStart = 0
    var index = 0
    func isName(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A && byte >= 0x41)
        || (byte >= 0x30 && byte <= 0x39)
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, index + 1) }
      if let open = quote {
        if byte == UInt8(ascii: "\\") { index += 1 } else if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if bytes[index...].starts(with: wanted), index == 0 || !isName(bytes[index - 1]),
        index + wanted.count == bytes.count || !isName(bytes[index + wanted.count])
      {
        var error = self
        error.position = SourcePosition(line: line, column: index - lineStart + 1, byteOffset: index)
        return error
      }
      index += 1
    }
    return self
  }
}
