extension Factors {
  /// What attributes of the model mean for the store beside their values.
  static let attributes = [constraint, derived, external, transformable]

  private static let constraint = Factor(
    "constraint",
    [
      Factor.Value("key"),
      Factor.Value("beside") { scenario in
        scenario.hasSerial = true
        if scenario.nights.count == 1 { scenario.nights = [16, 12] }
        scenario.item.fields.append(FieldMap("serial"))
        scenario.columns.append(
          ColumnSpec(
            "serial",
            .made { _, random in
              switch Int.random(in: 0..<40, using: &random) {
              case 0..<8: .null
              case 8..<10: .absent
              case let number: .text("s\(number)")
              }
            }))
      },
    ])

  private static let derived = Factor(
    "derived",
    [
      Factor.Value("none"),
      Factor.Value("some") { $0.hasDerived = true },
    ])

  private static let external = Factor(
    "external",
    [
      Factor.Value("none"),
      Factor.Value("files") { scenario in
        scenario.hasPhoto = true
        scenario.item.fields.append(FieldMap("photo"))
        scenario.columns.append(
          ColumnSpec(
            "photo",
            .made { _, random in
              switch Int.random(in: 0..<16, using: &random) {
              case 0: .absent
              case 1: .null
              case 2: .text("")
              // More than a cell holds itself.
              case 3: .text("AQID" + String(repeating: "QUJD", count: 36_000))
              case 4: .text("BAUG" + String(repeating: "QUJD", count: 36_000))
              case let number: .text(number % 2 == 0 ? "AQID" : "BAUG")
              }
            }))
      },
    ],
    except: [
      Exclusion(
        ["files"], with: "format", ["fixed-width"], because: "large values do not fit the columns of fixed-width text")
    ])

  private static let transformable = Factor(
    "transformable",
    [
      Factor.Value("none"),
      Factor.Value("some") { scenario in
        scenario.hasLook = true
        scenario.item.fields.append(FieldMap("look"))
        scenario.columns.append(
          ColumnSpec(
            "look",
            .made { _, random in
              switch Int.random(in: 0..<16, using: &random) {
              case 0: .absent
              case 1: .null
              case 2: .text("")
              case let number: .text(["AQID", "BAUG", "aGVsbG8="][number % 3])
              }
            }))
      },
    ])
}
