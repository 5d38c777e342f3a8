import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

extension CompiledField {
  /// A field that no column fills: every record has the model's default, or nothing.
  ///
  /// `nil` for types that no column could fill either.
  static func unfilled(_ attribute: AttributeDescription) -> CompiledField? {
    var field = FieldImport(attributeName: attribute.name, column: "")
    field.whenAbsent = .useDefault
    guard var compiled = try? CompiledField(field, attribute: attribute) else { return nil }
    compiled.constant = compiled.whenAbsent
    return compiled
  }

  func fill(_ cells: inout CellColumn, with constant: Substitution, _ records: inout RecordBatch) {
    var payload = constant.payload
    if let bytes = constant.bytes {
      var start = 0
      records.appendBytes(atMost: bytes.count) { base, used in
        start = used
        for (index, byte) in bytes.enumerated() { base[used + index] = byte }
        return bytes.count
      }
      payload = ByteRange(offset: start, length: bytes.count).payload
    }
    for row in cells.tags.indices {
      cells.tags[row] = constant.tag
      cells.payloads[row] = payload
    }
  }
}

extension EntityImport {
  /// The import with what mode `replace` means for fields that a record does not have: they go to their defaults, and a
  /// to-one relationship whose key is not there leads to nothing.
  var replacing: EntityImport {
    guard mode == .replace else { return self }
    var result = self
    func replace(_ field: inout FieldImport, by substitute: FieldImport.Substitute) {
      guard field.whenAbsent == .keep, field.places["absent"] == nil else { return }
      field.whenAbsent = substitute
      field.isReplaced = true
    }
    for index in result.attributes.indices { replace(&result.attributes[index], by: .useDefault) }
    for index in result.relationships.indices where result.relationships[index].list == nil {
      for key in result.relationships[index].target.findBy.indices {
        replace(&result.relationships[index].target.findBy[key], by: .null)
      }
    }
    return result
  }

  /// The attributes of an entity that mode `replace` sets to their defaults: stored ones that no column fills.
  func unfilledAttributes(of entity: EntityDescription) -> [AttributeDescription] {
    let filled = Set((findBy + attributes).map(\.attributeName))
    return entity.attributes.filter {
      !$0.isTransient && !$0.isDerived && !filled.contains($0.name) && $0.name != sync.softDelete
    }
  }

  /// The relationships of an entity that mode `replace` clears: optional stored to-one ones that no record fills.
  func unfilledReferences(of entity: EntityDescription) -> [RelationshipDescription] {
    let filled = Set(relationships.map(\.name))
    return entity.relationships.filter {
      !$0.isToMany && !$0.isTransient && $0.isOptional && !filled.contains($0.name)
    }
  }
}
