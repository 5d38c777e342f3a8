extension Factors {
  /// What an object of the store has that a record names, as the store is when the import begins.
  static let lookup = Factor(
    "lookup",
    [
      Factor.Value("none"),
      // The import changes people itself, as owners, so that a run that is resumed starts over.
      Factor.Value("people-null") { lookUp(&$0, "entity: Person, find_by: email, take: age, otherwise: \"null\"") },
      // The import of people stands behind and runs first.
      Factor.Value("people-reject") { lookUp(&$0, "entity: Person, find_by: email, take: age") },
      Factor.Value("units-keep") {
        lookUp(&$0, "entity: Unit, find_by: code, take: name, otherwise: keep")
        $0.hasUnits = true
      },
      Factor.Value("units-null") {
        lookUp(&$0, "entity: Unit, find_by: code, take: name, otherwise: \"null\"")
        $0.hasUnits = true
      },
      // The import of people looks up what the one before it writes; several items may have one label.
      Factor.Value("items-null") {
        let steps = "[{ lookup: { entity: Item, find_by: label, take: amount, otherwise: \"null\" } }]"
        $0.people?.fields = [FieldMap("age", "email", ["do": steps])]
      },
    ],
    except: [
      Exclusion(["people-reject"], with: "parts", ["one"], because: "no other import writes people"),
      Exclusion(
        ["items-null"], with: "parts", ["one", "members-sync", "items", "items-update", "items-sync"],
        because: "the import of people looks items up"),
      Exclusion(
        ["items-null"], with: "owner", ["reject", "null", "update", "required-null"],
        because: "imports that need each other's objects are a finding, or wait for each other, which has its own tests"
      ),
      Exclusion(
        ["items-null"], with: "find", ["pieces", "little-memory"],
        because: "a table of all items is larger than so little memory"),
    ])

  /// Fills an attribute of items by a look-up of the e-mail address.
  private static func lookUp(_ scenario: inout Scenario, _ options: String) {
    scenario.item.fields.append(FieldMap("found", "email", ["do": "[{ lookup: { \(options) } }]"]))
  }
}
