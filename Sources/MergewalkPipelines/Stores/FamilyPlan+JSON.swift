import MergewalkBytes
import MergewalkImporting
import MergewalkRecordFormats

extension FamilyPlan {
  /// The plan as `_plan/plan.json` has it: one object on one line, with a digest of itself.
  var json: [UInt8] { FamilyFiles.sealed { write(&$0) } }

  private func write(_ out: inout JSONBytes) {
    out.members([
      "format": .integer(1), "id": .string(id), "mergewalk": .string(version), "pipeline": .string(pipeline),
      "path": .string(pipelinePath), "base": .string(base), "model": .string(model),
    ])
    out.list("set", variables.sorted { $0.key < $1.key }) { ["name": .string($0.key), "value": .string($0.value)] }
    out.list("sources", sources) { source in
      [
        "path": .string(source.path), "place": .string(source.place), "state": source.state.map { .string($0) },
        "kinds": source.kinds.map { .string($0) },
      ]
    }
    out.list("shared", shared) { ["path": .string($0.path), "digest": .string($0.digest)] }
    out.list("imports", forms) { $0.json }
    out.members([
      "limits": [
        "limit": limits.limit.map { .integer($0) }, "ratio": limits.ratio.map { .string("\($0)") },
        "minimum": .integer(limits.minimum),
        "codes": .array(limits.codes.map { ["code": .string($0.pattern), "limit": .integer($0.limit)] }),
      ],
      "gone": [
        "limit": gone.limit.map { .integer($0) }, "ratio": gone.ratio.map { .string("\($0)") },
        "allow_empty": .boolean(gone.allowsEmpty),
      ],
    ])
    out.list("headers", headers) { ["text": .string(String(decoding: $0, as: UTF8.self))] }
    out.members([
      "folders": .boolean(hasFolders), "expected": expectedRecords.map { .integer($0) }, "split": counts.map(\.json),
    ])
    out.list("units", units) { unit in
      [
        "name": .string(unit.name), "file": .string(unit.file), "bucket": .boolean(unit.isBucket),
        // Plans of former versions, which must read as they were written, do not have it.
        "shared_places": unit.sharesPlaces ? .boolean(true) : nil, "segments": .array(unit.segments.map(\.json)),
      ]
    }
    out.list("former", former) { ["path": .string($0)] }
    out.list("parts", parts) { part in
      [
        "value": .string(part.value), "name": .string(part.name), "path": .string(part.path),
        "digest": .string(part.digest), "places": .string(part.places), "records": part.records.map { .integer($0) },
        "unit": part.unit.map { .integer($0) }, "files": part.files.isEmpty ? nil : .array(part.files.map(\.json)),
      ]
    }
  }

  /// Reads what ``json`` wrote; nil when it is something else, or was altered.
  init?(json: [UInt8]) {
    guard
      let row = JSONRow(json), row.count("format") == 1, let version = row.text("mergewalk"),
      let pipeline = row.text("pipeline"),
      let path = row.text("path"), let base = row.text("base"), let model = row.text("model"),
      let set = row.list("set", { ($0.text("name") ?? "", $0.text("value") ?? "") }),
      let sources = row.list("sources", { Source($0) }),
      let shared = row.list(
        "shared", { row in row.text("path").map { Shared(path: $0, digest: row.text("digest") ?? "") } }),
      let forms = row.list("imports", { SpoolForm($0) }),
      let limits = row.json("limits").flatMap({ RejectPolicy(limits: $0) }),
      let gone = row.json("gone").flatMap({ StoresPolicy.Gone(json: $0) }),
      let headers = row.list("headers", { row in row.text("text").map { Array($0.utf8) } }),
      let units = row.list("units", { SpoolUnit($0) }),
      let former = row.list("former", { $0.text("path") }),
      let parts = row.list("parts", { Part($0) })
    else { return nil }
    self.version = version
    self.pipeline = pipeline
    pipelinePath = path
    self.base = base
    self.model = model
    variables = Dictionary(set) { $1 }
    self.sources = sources
    self.shared = shared
    self.forms = forms
    self.limits = limits
    self.gone = gone
    self.headers = headers
    self.units = units
    self.former = former
    self.parts = parts
    hasFolders = row.flag("folders")
    expectedRecords = row.count("expected")
    if let split = row.json("split") {
      guard let row = JSONRow(split),
        let read = row.count("read"), let skipped = row.count("skipped"), let rejected = row.count("rejected")
      else { return nil }
      counts = Splitter.Counts(read: read, skipped: skipped, rejected: rejected, codes: row.counts("codes"))
    }
    guard row.text("id") == id, parts.allSatisfy({ $0.unit.map(units.indices.contains) ?? true }),
      units.allSatisfy({ $0.segments.allSatisfy { headers.indices.contains($0.run.header) } }), self.json == json
    else { return nil }
  }
}

extension FamilyPlan.Source {
  init?(_ row: JSONRow) {
    guard let path = row.text("path") else { return nil }
    self.init(path: path, place: row.text("place") ?? path, state: row.text("state"))
    kinds = row.text("kinds")
  }
}

extension FamilyPlan.Part {
  init?(_ row: JSONRow) {
    guard let value = row.text("value"), let name = row.text("name"), let path = row.text("path"),
      // Plans of earlier versions are read for the paths of their stores: they have SHA-256.
      let digest = row.text("digest") ?? row.text("sha256"), let places = row.text("places")
    else { return nil }
    self.init(
      value: value, name: name, path: path, records: row.count("records"), digest: digest, places: places,
      unit: row.count("unit"))
    if row.json("files") != nil {
      guard let files = StoreReceipt.File.list("files", of: row) else { return nil }
      self.files = files
    }
  }
}

extension SpoolUnit {
  init?(_ row: JSONRow) {
    guard let name = row.text("name"), let file = row.text("file"),
      let segments = row.list("segments", { SpoolSegment($0) })
    else { return nil }
    self.init(
      name: name, file: file, isBucket: row.flag("bucket"), sharesPlaces: row.flag("shared_places"), segments: segments)
  }
}

extension Splitter.Counts {
  fileprivate var json: JSONText {
    [
      "read": .integer(read), "skipped": .integer(skipped), "rejected": .integer(rejected), "codes": .counts(codes),
    ]
  }
}

extension SpoolSegment {
  fileprivate var json: JSONText {
    [
      "import": .integer(run.part), "source": .integer(run.source), "member": run.member.map { .string($0) },
      "header": .integer(run.header), "encoding": run.encoding.map { .string($0) },
      "start": .integer(bytes.lowerBound), "bytes": .integer(bytes.count),
      "places_start": .integer(places.lowerBound), "places_bytes": .integer(places.count),
      "records": .integer(records),
    ]
  }

  init?(_ row: JSONRow) {
    guard let part = row.count("import"), let source = row.count("source"), let header = row.count("header"),
      let start = row.count("start"), let bytes = row.count("bytes"), let places = row.count("places_start"),
      let placeBytes = row.count("places_bytes"), let records = row.count("records"),
      start >= 0, bytes >= 0, places >= 0, placeBytes >= 0, bytes < Int.max - start, placeBytes < Int.max - places
    else { return nil }
    self.init(
      run: SpoolRun(
        part: part, source: source, member: row.text("member"), header: header, encoding: row.text("encoding")),
      bytes: start..<start + bytes, places: places..<places + placeBytes, records: records)
  }
}

extension RejectPolicy {
  /// Reads the limits of a plan.
  fileprivate init?(limits: [UInt8]) {
    self.init()
    guard let row = JSONRow(limits),
      let codes = row.list("codes", { row in row.text("code").map { CodeLimit($0, limit: row.count("limit") ?? 0) } })
    else { return nil }
    limit = row.count("limit")
    ratio = row.text("ratio").flatMap { Double($0) }
    minimum = row.count("minimum") ?? minimum
    self.codes = codes
  }
}

extension StoresPolicy.Gone {
  /// Reads what a plan says about stores that go.
  fileprivate init?(json: [UInt8]) {
    guard let row = JSONRow(json) else { return nil }
    self.init()
    limit = row.count("limit")
    ratio = row.text("ratio").flatMap { Double($0) }
    allowsEmpty = row.flag("allow_empty")
  }
}

extension JSONRow {
  /// A member that ``JSONText/counts(_:)`` made.
  func counts(_ name: String) -> [String: Int] {
    let entries = list(name) { row in row.text("code").map { ($0, row.count("count") ?? 0) }
    }
    return Dictionary(entries ?? []) { $1 }
  }
}

extension JSONText {
  /// Counts by name.
  static func counts(_ counts: [String: Int]) -> JSONText {
    .array(counts.sorted { $0.key < $1.key }.map { ["code": .string($0.key), "count": .integer($0.value)] })
  }
}
