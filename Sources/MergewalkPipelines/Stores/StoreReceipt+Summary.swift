import MergewalkDiagnostics
import MergewalkImporting

// What a receipt keeps of the summary of its run, so that the commit can add up those of all stores.

extension RunWarning {
  func write(_ out: inout JSONBytes) {
    out.member("code", code.rawValue)
    out.member("message", message)
    if finding != message { out.member("finding", finding) }
    if let file { out.member("file", file) }
    if let position {
      out.member("line", position.line)
      out.member("column", position.column)
    }
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
  func write(_ out: inout JSONBytes) {
    out.member("import", part)
    out.member("entity", entity)
    out.member("attribute", attribute)
    out.member("column", column)
    out.member("read", read)
    out.member("stored", stored)
    if !replaced.isEmpty {
      out.counts("replaced", Dictionary(uniqueKeysWithValues: replaced.map { ($0.key.rawValue, $0.value) }))
    }
    out.member("rejected", rejected)
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
  func write(_ out: inout JSONBytes) {
    out.member("import", part)
    out.member("entity", entity)
    out.member("relationship", relationship)
    out.member("column", column)
    out.member("read", read)
    out.member("linked", linked)
    out.member("already_linked", alreadyLinked)
    out.member("skipped", skipped)
    out.member("rejected", rejected)
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
