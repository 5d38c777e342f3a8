import MergewalkImporting
import MergewalkRecordFormats

extension FamilyPlan {
  /// The plan as `_plan/plan.json` has it: one object on one line, with a digest of itself.
  var json: [UInt8] { FamilyFiles.sealed { write(&$0) } }

  private func write(_ out: inout JSONBytes) {
    out.member("format", 1)
    out.member("id", id)
    out.member("mergewalk", version)
    out.member("pipeline", pipeline)
    out.member("path", pipelinePath)
    out.member("base", base)
    out.member("model", model)
    out.list("set", variables.sorted { $0.key < $1.key }) { out, entry in
      out.member("name", entry.key)
      out.member("value", entry.value)
    }
    out.list("sources", sources) { out, source in
      out.member("path", source.path)
      out.member("place", source.place)
      if let state = source.state { out.member("state", state) }
      if let kinds = source.kinds { out.member("kinds", kinds) }
    }
    out.list("shared", shared) { out, shared in
      out.member("path", shared.path)
      out.member("digest", shared.digest)
    }
    out.list("imports", forms) { out, form in form.write(&out) }
    out.key("limits")
    out.open(UInt8(ascii: "{"))
    if let limit = limits.limit { out.member("limit", limit) }
    if let ratio = limits.ratio { out.member("ratio", "\(ratio)") }
    out.member("minimum", limits.minimum)
    out.list("codes", limits.codes) { out, code in
      out.member("code", code.pattern)
      out.member("limit", code.limit)
    }
    out.close(UInt8(ascii: "}"))
    out.key("gone")
    out.open(UInt8(ascii: "{"))
    if let limit = gone.limit { out.member("limit", limit) }
    if let ratio = gone.ratio { out.member("ratio", "\(ratio)") }
    out.member("allow_empty", gone.allowsEmpty)
    out.close(UInt8(ascii: "}"))
    out.list("headers", headers) { out, header in out.member("text", String(decoding: header, as: UTF8.self)) }
    out.member("folders", hasFolders)
    if let expectedRecords { out.member("expected", expectedRecords) }
    if let counts {
      out.key("split")
      out.open(UInt8(ascii: "{"))
      out.member("read", counts.read)
      out.member("skipped", counts.skipped)
      out.member("rejected", counts.rejected)
      out.counts("codes", counts.codes)
      out.close(UInt8(ascii: "}"))
    }
    out.list("units", units) { out, unit in
      out.member("name", unit.name)
      out.member("file", unit.file)
      out.member("bucket", unit.isBucket)
      // Plans of former versions, which must read as they were written, do not have it.
      if unit.sharesPlaces { out.member("shared_places", true) }
      out.list("segments", unit.segments) { out, segment in
        out.member("import", segment.run.part)
        out.member("source", segment.run.source)
        if let member = segment.run.member { out.member("member", member) }
        out.member("header", segment.run.header)
        if let encoding = segment.run.encoding { out.member("encoding", encoding) }
        out.member("start", segment.bytes.lowerBound)
        out.member("bytes", segment.bytes.count)
        out.member("places_start", segment.places.lowerBound)
        out.member("places_bytes", segment.places.count)
        out.member("records", segment.records)
      }
    }
    out.list("former", former) { out, path in out.member("path", path) }
    out.list("parts", parts) { out, part in
      out.member("value", part.value)
      out.member("name", part.name)
      out.member("path", part.path)
      out.member("sha256", part.sha256)
      out.member("places", part.places)
      if let records = part.records { out.member("records", records) }
      if let unit = part.unit { out.member("unit", unit) }
      if !part.files.isEmpty { out.list("files", part.files) { out, file in file.write(&out) } }
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
      let sha256 = row.text("sha256"), let places = row.text("places")
    else { return nil }
    self.init(
      value: value, name: name, path: path, records: row.count("records"), sha256: sha256, places: places,
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

extension SpoolSegment {
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
  /// A member that ``JSONBytes/counts(_:_:)`` wrote.
  func counts(_ name: String) -> [String: Int] {
    let entries = list(name) { row in row.text("code").map { ($0, row.count("count") ?? 0) }
    }
    return Dictionary(entries ?? []) { $1 }
  }
}

extension JSONBytes {
  /// Appends a member that is a list of objects.
  mutating func list<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONBytes, Element) -> Void
  ) {
    key(name)
    open(UInt8(ascii: "["))
    for element in elements {
      separate()
      open(UInt8(ascii: "{"))
      write(&self, element)
      close(UInt8(ascii: "}"))
    }
    close(UInt8(ascii: "]"))
  }

  /// Appends a member with counts by name.
  mutating func counts(_ name: StaticString, _ counts: [String: Int]) {
    list(name, counts.sorted { $0.key < $1.key }) { out, entry in
      out.member("code", entry.key)
      out.member("count", entry.value)
    }
  }
}
