import ArgumentParser
import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectStore

/// The result of `mergewalk seed --from`.
struct Installation {
  let store: String
  /// The marks of the prepared store, all of which come with its objects.
  let seeds: [StoreSeed]
  /// The only mark that matters; `nil` for all.
  let identity: String?
  var copy: StoreCopy.Result?
  var objects: ObjectCopy.Result?

  /// `copied`, `added` or `nothing`.
  private var status: String { copy != nil ? "copied" : objects?.isInstalled == true ? "nothing" : "added" }

  var words: String {
    let names = seeds.map(\.identity).joined(separator: ", ")
    let label = "\(store): " + (names.isEmpty ? "" : names + ", ")
    if let copy {
      return "\(label)a copy of \(Figures.bytes(copy.bytes))"
        + (copy.isByteEqual ? "" : ", with the content of the log")
    }
    guard let objects, !objects.isInstalled else { return "\(store): has \(identity ?? names) already" }
    var table = TextTable("entity", "inserted", "found", "updated")
    for (entity, counts) in objects.entities.sorted(by: { $0.key < $1.key }) {
      table.add(
        entity, Figures.grouped(counts.inserted), Figures.grouped(counts.found), Figures.grouped(counts.updated))
    }
    var lines = objects.warnings.map { "\(store): warning: \($0)" }
    let inserted = objects.entities.values.reduce(0) { $0 + $1.inserted }
    lines.append("\(label)\(Figures.count(inserted, "object")) copied")
    if !objects.entities.isEmpty { lines += table.lines }
    if let words = FieldCounts.dangling(
      objects.danglingReferences, of: "the prepared store", outcome: "they were not copied")
    {
      lines.append(words)
    }
    if !objects.keptValues.isEmpty {
      lines.append(
        "  warning  mandatory values are missing in the prepared store (\(FieldCounts.list(objects.keptValues)));"
          + " the existing ones were kept; mergewalk store verify lists them")
    }
    if seeds.isEmpty { lines.append("  note     the prepared store has no mark: the next time they are copied again") }
    return lines.map { PrintableText.of($0) }.joined(separator: "\n")
  }

  /// The same as an object.
  func json(_ seed: JSONText?, all seeds: [JSONText]) -> JSONText {
    [
      "status": .string(status), "store": .string(store), "seed": .nullable(seed), "seeds": .array(seeds),
      "byte_equal": .boolean(copy?.isByteEqual ?? false),
      "external_files": .integer(copy?.externalFiles ?? objects?.externalFiles ?? 0),
      "dangling_references": FieldCounts.json(objects?.danglingReferences ?? []),
      "kept_values": FieldCounts.json(objects?.keptValues ?? []),
      "entities": .named(objects?.entities ?? [:]) { counts in
        ["inserted": .integer(counts.inserted), "found": .integer(counts.found), "updated": .integer(counts.updated)]
      },
    ]
  }
}

/// `ENTITY.ATTRIBUTE,ATTRIBUTE` on the command line.
struct FindByOption: ExpressibleByArgument {
  let entity: String
  let attributes: [String]

  init?(argument: String) {
    let parts = argument.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    entity = String(parts[0])
    attributes = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if attributes.contains("") { return nil }
  }
}
