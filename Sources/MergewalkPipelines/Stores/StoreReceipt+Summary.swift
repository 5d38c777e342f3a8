import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting

// What a receipt keeps of the summary of its run, so that the commit can add up those of all stores.

extension RunWarning {
  var json: JSONText {
    [
      "code": .string(code.rawValue), "message": .string(message),
      "finding": finding != message ? .string(finding) : nil, "file": file.map { .string($0) },
      "line": position.map { .integer($0.line) }, "column": position.map { .integer($0.column) },
    ]
  }

  init?(_ row: JSONRow) {
    guard let code = row.text("code").flatMap({ Code(rawValue: $0) }), let message = row.text("message") else {
      return nil
    }
    let place = row.count("line").map { SourcePosition(line: $0, column: row.count("column") ?? 0) }
    self.init(code, message, file: row.text("file"), position: place)
    if let finding = row.text("finding") { self.finding = finding }
  }
}

extension FieldTally {
  var json: JSONText {
    let counts = Dictionary(uniqueKeysWithValues: replaced.map { ($0.key.rawValue, $0.value) })
    return [
      "import": .string(part), "entity": .string(entity), "attribute": .string(attribute), "column": .string(column),
      "read": .integer(read), "stored": .integer(stored), "replaced": counts.isEmpty ? nil : .counts(counts),
      "rejected": .integer(rejected),
    ]
  }

  init?(_ row: JSONRow) {
    guard let part = row.text("import"), let entity = row.text("entity"), let attribute = row.text("attribute"),
      let column = row.text("column"), let read = row.count("read"), let stored = row.count("stored"),
      let rejected = row.count("rejected")
    else { return nil }
    self.init()
    (self.part, self.entity, self.attribute, self.column) = (part, entity, attribute, column)
    (self.read, self.stored, self.rejected) = (read, stored, rejected)
    guard row.json("replaced") != nil else { return }
    for (name, count) in row.counts("replaced") {
      guard let reason = Replacement(rawValue: name) else { return nil }
      replaced[reason] = count
    }
  }
}

extension ListTally {
  var json: JSONText {
    [
      "import": .string(part), "entity": .string(entity), "relationship": .string(relationship),
      "column": .string(column), "read": .integer(read), "linked": .integer(linked),
      "already_linked": .integer(alreadyLinked), "skipped": .integer(skipped), "rejected": .integer(rejected),
    ]
  }

  init?(_ row: JSONRow) {
    let texts = ["import", "entity", "relationship", "column"].compactMap { row.text($0) }
    let counts = ["read", "linked", "already_linked", "skipped", "rejected"].compactMap { row.count($0) }
    guard texts.count == 4, counts.count == 5 else { return nil }
    self.init()
    (part, entity, relationship, column) = (texts[0], texts[1], texts[2], texts[3])
    numbers = counts
  }
}
