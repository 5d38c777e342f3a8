import Diagnostics
import Importing
import ObjectModel
import RecordFormats

/// Turns the fields of a relationship that are about lists into a ``ListImport``, checked against the model.
struct ListBuilder {
  let model: ManagedObjectModel?
  let findings: Findings

  /// The fields that only lists have.
  static let names = ["each", "split", "trim", "links", "orphans", "find_in", "empty", "empty_elements"]

  /// Whether a relationship says how its list is written, well or badly.
  static func isList(_ component: ComponentValue) -> Bool { component.has("each") || component.has("split") }

  /// Finds what is about lists in a relationship to a single object.
  func checkToOne(_ component: ComponentValue, _ name: String) {
    for field in Self.names where component.has(field) {
      findings.add(
        .unsuitableOption, at: component.keyPosition(field),
        "“\(field)” is for to-many relationships, and “\(name)” leads to one object", hint: "leave it out")
      // One mistake, one finding.
      return
    }
  }

  /// Finds a to-many relationship without a list; whether there was one.
  func checkToMany(_ component: ComponentValue, _ description: RelationshipDescription, at place: SourcePosition)
    -> Bool
  {
    guard !Self.isList(component) else { return true }
    findings.add(
      .unsuitableRelationship, at: place,
      "“\(description.name)” is a to-many relationship, and nothing says how a record lists its objects",
      hint: "say “split: \";\"” for a text such as a;b, or “each: COLUMN” for a JSON array of objects")
    return false
  }

  /// Builds the list and moves the columns of the target's fields into its elements.
  ///
  /// - Parameters:
  ///   - uses: The columns that the target's fields name, which are those of the file with `split` alone.
  ///   - target: The target as it was built.
  /// - Returns: The list and the column of the file that it is in; `nil` when it names none.
  func build(
    _ component: ComponentValue, _ description: RelationshipDescription?, uses: [ColumnUse],
    target: inout EntityImport
  ) -> (list: ListImport, column: ColumnUse)? {
    guard let column = column(component, uses, &target) else { return nil }
    var list = ListImport(
      column: column.name, form: component.text("split").map { .split(separator: $0.value) } ?? .json)
    list.trims = component.flag("trim") ?? true
    list.links = component.choice("links", as: ListImport.Links.self) ?? .replace
    list.orphans = component.choice("orphans", as: ListImport.Orphans.self) ?? .unlink
    list.scope = component.choice("find_in", as: ListImport.Scope.self)
    list.whenEmpty = component.choice("empty", as: ListImport.Empty.self) ?? .clear
    list.whenElementEmpty = component.choice("empty_elements", as: ListImport.EmptyElement.self) ?? .skip
    if component.has("trim"), !component.has("split") {
      findings.add(
        .unsuitableOption, at: component.keyPosition("trim"),
        "“trim” is for the pieces of a text, and there is no “split”",
        hint: "trim the fields of the elements instead")
    }
    if let description { check(component, list, description) }
    checkFields(target)
    return (list, column)
  }

  /// Finds fields of elements that are more than a column: only those of records have steps and values.
  private func checkFields(_ target: EntityImport) {
    for field in target.findBy + target.attributes where !field.steps.isEmpty || field.value != nil {
      findings.add(
        .unsuitableOption, at: field.position,
        "“\(field.attributeName)” is filled by an element of a list, whose columns are taken as they are",
        hint: "derive a column of the record instead")
    }
    for relationship in target.relationships where relationship.list == nil { checkFields(relationship.target) }
  }

  private func column(
    _ component: ComponentValue, _ uses: [ColumnUse], _ target: inout EntityImport
  ) -> ColumnUse? {
    if let each = component.text("each") {
      for use in uses where !ListElements.isColumn(use.name) {
        findings.add(
          .unknownColumn, at: use.position, "“\(use.name)” is not a path of members of an element",
          hint: "write a dot inside a name as \\.")
      }
      if component.has("split") { checkPieces(component, each.value, uses, &target) }
      return ColumnUse(name: each.value, position: each.position)
    }
    guard component.has("split"), let first = uses.first else { return nil }
    checkPieces(component, first.name, uses, &target)
    return first
  }

  /// Holds the fields of the pieces of a text against what a piece has: nothing but itself.
  private func checkPieces(
    _ component: ComponentValue, _ column: String, _ uses: [ColumnUse], _ target: inout EntityImport
  ) {
    for field in ["attributes", "relationships"] where component.has(field) {
      findings.add(
        .unsuitableOption, at: component.keyPosition(field), "a piece of a text has no “\(field)”, only a key",
        hint: "use “each” with a JSON array of objects")
      return
    }
    for use in uses where use.name != column && use.name != "." {
      findings.add(
        .unsuitableOption, at: use.position, "a piece of “\(column)” has no column “\(use.name)”",
        hint: component.has("each") ? "write “.” for the piece itself" : "find it by one attribute")
      return
    }
    for index in target.findBy.indices { target.findBy[index].column = "." }
  }

  private func check(_ component: ComponentValue, _ list: ListImport, _ description: RelationshipDescription) {
    let inverse = description.inverseName.flatMap { name in
      model?.entities[description.destinationEntity].relationship(named: name)
    }
    let belongsToOne = inverse.map { !$0.isToMany } ?? false
    if !belongsToOne {
      for (field, isMeant) in [("orphans", list.orphans == .delete), ("find_in", list.scope == .owner)] where isMeant {
        findings.add(
          .unsuitableOption, at: component.keyPosition(field),
          "“\(field)” is for objects that belong to one owner, and those of “\(description.name)” may have several",
          hint: "leave it out")
      }
    } else if list.links == .add, component.has("orphans") {
      findings.add(
        .unsuitableOption, at: component.keyPosition("orphans"), "with “links: add” nothing is left out of a list",
        hint: "leave “orphans” out")
    } else if let inverse, !inverse.isOptional, list.links == .replace, list.orphans == .unlink,
      !component.brokenFields.contains("orphans"), !component.brokenFields.contains("links")
    {
      findings.add(
        .invalidOption, at: component.has("orphans") ? component.keyPosition("orphans") : component.position,
        "“\(description.destinationEntityName).\(inverse.name)” is mandatory, so an object that a list leaves out cannot"
          + " stay", hint: "say “orphans: delete”, or “links: add”")
    }
  }
}
