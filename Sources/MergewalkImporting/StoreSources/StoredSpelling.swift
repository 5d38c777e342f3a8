import MergewalkObjectModel
import MergewalkRecordFormats

extension ImportPart {
  /// The root of the import, told that values are spelt as a store's if the records are a store's objects.
  ///
  /// What exports write beyond the usual spellings then comes back too: infinity, decimal numbers of 17 digits, and dates
  /// without a spelling as seconds since 2001. Fields with options of their own are left as they are.
  func plannedRoot(_ model: ManagedObjectModel) -> EntityImport {
    guard format.readsObjects else { return root }
    var root = root
    root.spellAsStored(model)
    return root
  }
}

extension EntityImport {
  fileprivate mutating func spellAsStored(_ model: ManagedObjectModel) {
    let entity = model.entity(named: entityName)
    for index in findBy.indices { findBy[index].spellAsStored(entity) }
    for index in attributes.indices { attributes[index].spellAsStored(entity) }
    for index in relationships.indices { relationships[index].target.spellAsStored(model) }
  }
}

extension FieldImport {
  fileprivate mutating func spellAsStored(_ entity: EntityDescription?) {
    switch entity?.attribute(named: attributeName)?.type {
    // A Double that becomes a Float has to be rounded, so Floats are read as usual.
    case .double, .decimal, .date:
      let usual = ConversionOptions()
      let isUsual =
        conversion.dateFormat == usual.dateFormat && conversion.timeZoneOffset == usual.timeZoneOffset
        && conversion.decimalMark == usual.decimalMark && conversion.groupMark == usual.groupMark
      if isUsual { conversion.isStored = true }
    default: break
    }
  }
}
