import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The common features of consecutive records in a spool file.
struct SpoolRun: Hashable, Sendable {
  /// The import they are for.
  var part: Int
  /// The source they are from, by its number in the plan.
  var source: Int
  var member: String?
  /// The number in the plan of their file's first lines.
  var header: Int
  /// The name of the encoding that their text was decoded from; nil for UTF-8.
  var encoding: String?
}

/// A run of records in a spool file.
struct SpoolSegment: Hashable, Sendable {
  var run: SpoolRun
  /// Where the raw records stand in the file of records.
  var bytes: Range<Int>
  /// Where their places stand in the file of places.
  var places: Range<Int>
  var records = 0
}

/// One file of raw records, those of one value or of many whose hash is the same, with the places of these in a file of
/// their own or in a shared one.
struct SpoolUnit: Hashable, Sendable {
  /// The folder's name in the spool: `by=VALUE`, or `bucket=NN`.
  var name: String
  /// The name of the file of records in it.
  var file: String
  /// Whether the records are of many values, so that a task splits them again.
  var isBucket: Bool
  /// Whether the places stand in one file with those of others, as there are few.
  var sharesPlaces = false
  var segments: [SpoolSegment] = []

  /// The path of the file of records in a spool.
  func records(in spool: String) -> String { "\(spool)/\(name)/\(file)" }

  /// The path of the file of places in a spool.
  func places(in spool: String) -> String {
    sharesPlaces ? "\(spool)/\(Self.placesName)" : "\(spool)/\(name)/\(Self.placesName)"
  }

  static let placesName = "part.places"
}

/// Spreads records over the files of a spool in one pass: a buffer for each file, at most one file open at a time.
///
/// The first values get files of their own; all further ones share buckets, so that neither memory nor the number of
/// files grows with the number of values.
///
/// The states of parts and files are values in arrays: counting the references of a thousand objects for every batch took
/// a tenth of a split's time. Exclusivity is unchecked: all of it is confined to one thread, and the checks took an
/// eighth.
final class SpoolFiles {
  /// How many values get files of their own.
  static let ownFiles = 1024
  /// How many buckets the others share.
  static let buckets = 256
  /// A buffer is written when it is fuller; those of few files are greater, as each write opens its file anew: with 16 KiB
  /// writing takes the system 2.5 times as long as with 256.
  @exclusivity(unchecked) private var bufferBytes = SpoolFiles.mostBufferBytes
  private static let mostBufferBytes = 256 << 10
  private static let allBuffersBytes = 32 << 20

  /// The state of the records of one value.
  struct Part {
    let unit: Int
    fileprivate let digest = DigestStream(.xxh3)
    fileprivate var run = -1
    fileprivate var head: (part: Int, header: Int)?
    /// Where its records stand.
    fileprivate(set) var places = PlacesHash()
    fileprivate(set) var records = 0

    fileprivate init(unit: Int) { self.unit = unit }

    /// The digest of its records with the headers before them; it can be asked once.
    func finish() -> [UInt8] { digest.finish() }
  }

  private struct File {
    var unit: SpoolUnit
    var run = -1
    var text = SpoolText()
    var written = (records: 0, places: 0)
    var isMade = false
    /// The state of its files when they were written last, by their paths.
    var states: [String: FileState] = [:]
    /// Where the run of records began that is being written, and how many there are.
    var start: (run: SpoolRun, records: Int, places: Int)?
    var count = 0
    /// The number of the only value that the file is for; nil for buckets.
    var part: Int?
    /// From where on the buffer's records are not in the digest of that value yet: records of one value are added as
    /// they are written, those of buckets as they come.
    var digested = 0

    init(_ unit: SpoolUnit) { self.unit = unit }

    mutating func endSegment() {
      guard let start, count > 0 else { return }
      unit.segments.append(
        SpoolSegment(
          run: start.run, bytes: start.records..<written.records + text.records.count,
          places: start.places..<written.places + text.places.count, records: count))
      count = 0
    }

    mutating func beginSegment(_ run: SpoolRun, header: [UInt8]) {
      text.writer = RecordPlaceWriter()
      if start == nil, !unit.isBucket { text.records += header }
      digested = text.records.count
      start = (run, written.records + text.records.count, written.places + text.places.count)
    }
  }

  private let folder: String
  private let fileName: String
  private let headers: (Int) -> [UInt8]
  @exclusivity(unchecked) private var files: [File] = []
  private var bucketFiles: [Int?]
  @exclusivity(unchecked) private(set) var parts: [Part] = []
  private var current = SpoolRun(part: 0, source: 0, member: nil, header: 0)
  @exclusivity(unchecked) private var runNumber = 0

  /// Prepares to write below an existing folder.
  ///
  /// - Parameters:
  ///   - fileName: What files of records are called.
  ///   - headers: What a file with a number of a header begins with.
  init(folder: String, fileName: String, headers: @escaping (Int) -> [UInt8]) {
    self.folder = folder
    self.fileName = fileName
    self.headers = headers
    bucketFiles = Array(repeating: nil, count: Self.buckets)
  }

  /// The files with what is in them; whole after ``finish()``.
  var units: [SpoolUnit] { files.map(\.unit) }

  /// For each unit the states of its files, by their paths in the spool.
  var states: [[String: FileState]] { files.map(\.states) }

  /// Whether the files of a unit are as they were written.
  static func areUnchanged(in folder: String, since states: [String: FileState]) -> Bool {
    states.count == 2 && states.allSatisfy { FileState("\(folder)/\($0.key)") == $0.value }
  }

  /// The next records have this in common.
  func begin(_ run: SpoolRun) {
    guard run != current || runNumber == 0 else { return }
    current = run
    runNumber += 1
  }

  /// Makes room for another value and returns its number.
  ///
  /// - Parameter hash: That of the value.
  func addPart(name: String, hash: UInt64, isAlone: Bool = false) -> Int {
    let unit: Int
    if isAlone || files.count < Self.ownFiles {
      unit = files.count
      files.append(File(SpoolUnit(name: "by=" + name, file: fileName, isBucket: false)))
    } else {
      let bucket = Int(hash % UInt64(Self.buckets))
      if let known = bucketFiles[bucket] {
        unit = known
      } else {
        unit = files.count
        bucketFiles[bucket] = unit
        let number = String(bucket)
        let name = "bucket=" + String(repeating: "0", count: 3 - number.count) + number
        files.append(File(SpoolUnit(name: name, file: fileName, isBucket: true)))
      }
    }
    bufferBytes = max(16 << 10, min(Self.mostBufferBytes, Self.allBuffersBytes / files.count))
    if !files[unit].unit.isBucket { files[unit].part = parts.count }
    parts.append(Part(unit: unit))
    return parts.count - 1
  }

  /// Appends the records of a batch to the files of their values.
  func append(_ order: SpoolOrder, of batch: RecordBatch, _ form: SpoolForm) throws(FamilyError) {
    let keys = form.rewrittenKeys
    try order.withRecords(of: batch) { (records) throws(FamilyError) in
      for part in order.parts.lazy.map(Int.init) {
        if let keys {
          try append(to: part) { $0.append(records, part: part, of: batch, keys: keys, &$1) }
        } else {
          try append(to: part) { $0.append(records, part: part, &$1) }
        }
      }
    }
  }

  /// Appends a record without its line end to the file of a value.
  func append(_ bytes: UnsafeRawBufferPointer, to number: Int, _ place: RecordPlace) throws(FamilyError) {
    try append(to: number) { (text, places) in
      text.append(bytes, part: number, at: place)
      places.add(place)
      return 1
    }
  }

  /// Appends records to the file of a value: `write` appends them, and returns how many they are.
  @inline(__always)
  private func append(
    to number: Int, _ write: (inout SpoolText, inout PlacesHash) -> Int
  ) throws(FamilyError) {
    let unit = parts[number].unit
    if files[unit].run != runNumber { try beginSegment(unit) }
    if parts[number].run != runNumber { beginDigest(number) }
    let start = files[unit].text.records.count
    // At once, so that it does not grow to twice of what is needed; the last batch comes on top.
    if start == 0 { files[unit].text.records.reserveCapacity(bufferBytes + (4 << 10)) }
    let count = write(&files[unit].text, &parts[number].places)
    files[unit].count += count
    parts[number].records += count
    if files[unit].part == nil {
      files[unit].text.records.withUnsafeBytes {
        parts[number].digest.add(UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
    }
    if files[unit].text.records.count > bufferBytes { try flushRecords(unit) }
    if files[unit].text.places.count > bufferBytes { try flushPlaces(unit) }
  }

  /// Writes what is left.
  func finish() throws(FamilyError) {
    var few: [Int] = []
    for unit in files.indices {
      files[unit].endSegment()
      try flushRecords(unit)
      if files[unit].written.places > 0 { try flushPlaces(unit) } else { few.append(unit) }
    }
    try writePlacesTogether(of: few)
  }

  /// Writes the places of units that have none on the disk yet to one file: a file costs more than what it would hold.
  private func writePlacesTogether(of units: [Int]) throws(FamilyError) {
    var bytes: [UInt8] = []
    var start = 0
    var state: FileState?
    let path = "\(folder)/\(SpoolUnit.placesName)"
    // A task that splits one bucket after the other could not remove it, perhaps.
    do { try FileSystem.remove(path) } catch { throw FamilyError(error) }
    for unit in units {
      files[unit].unit.sharesPlaces = true
      for segment in files[unit].unit.segments.indices {
        let own = files[unit].unit.segments[segment].places
        files[unit].unit.segments[segment].places = start + own.lowerBound..<start + own.upperBound
      }
      start += files[unit].text.places.count
      bytes += files[unit].text.places
      files[unit].text.places = []
      guard bytes.count > Self.mostBufferBytes || unit == units.last else { continue }
      state = try FamilyFiles.append(bytes, to: path)
      bytes.removeAll(keepingCapacity: true)
    }
    for unit in units { files[unit].states[SpoolUnit.placesName] = state }
  }

  private func beginSegment(_ unit: Int) throws(FamilyError) {
    files[unit].endSegment()
    digest(unit)
    files[unit].run = runNumber
    files[unit].beginSegment(current, header: headers(current.header))
  }

  /// Notes in a digest what the next records are read with, when it is something else than before.
  private func beginDigest(_ number: Int) {
    parts[number].run = runNumber
    parts[number].places.begin(source: current.source, member: current.member)
    Self.note(current, &parts[number].head, headers, parts[number].digest)
  }

  private static func note(
    _ run: SpoolRun, _ head: inout (part: Int, header: Int)?, _ headers: (Int) -> [UInt8], _ digest: DigestStream
  ) {
    if let head, head == (run.part, run.header) { return }
    head = (run.part, run.header)
    digest.add(Int64(run.part))
    let header = headers(run.header)
    digest.add(Int64(header.count))
    header.withUnsafeBytes { digest.add($0) }
  }

  /// The digest of the records of a file of one value, as it is on the disk now.
  static func digest(
    of unit: SpoolUnit, in folder: String, headers: (Int) -> [UInt8]
  ) throws(FamilyError) -> [UInt8] {
    let digest = DigestStream(.xxh3)
    var head: (part: Int, header: Int)?
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    do throws(ReadError) {
      for segment in unit.segments {
        note(segment.run, &head, headers, digest)
        let file = try FileBytes(path: unit.records(in: folder), range: segment.bytes)
        while true {
          let got = try file.read(into: buffer)
          if got == 0 { break }
          digest.add(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
        }
      }
    } catch { throw FamilyError(spool: error) }
    return digest.finish()
  }

  /// Where the records of a file of one value stand, as the file of places says it now.
  static func places(of unit: SpoolUnit, in folder: String) throws(FamilyError) -> PlacesHash {
    var hash = PlacesHash()
    do throws(ReadError) {
      for segment in unit.segments {
        hash.begin(source: segment.run.source, member: segment.run.member)
        var places = try RecordPlaceReader(path: unit.places(in: folder), range: segment.places)
        while let place = try places.next() { hash.add(place.place) }
      }
    } catch { throw FamilyError(spool: error) }
    return hash
  }

  /// Adds the records of the buffer to the digest of the only value that they are of.
  private func digest(_ unit: Int) {
    guard let part = files[unit].part else { return }
    files[unit].text.records.withUnsafeBytes {
      parts[part].digest.add(UnsafeRawBufferPointer(rebasing: $0[files[unit].digested...]))
    }
    files[unit].digested = files[unit].text.records.count
  }

  private func flushRecords(_ unit: Int) throws(FamilyError) {
    digest(unit)
    files[unit].digested = 0
    try append(files[unit].text.records, to: files[unit].unit.file, of: unit)
    files[unit].written.records += files[unit].text.records.count
    files[unit].text.records.removeAll(keepingCapacity: true)
  }

  private func flushPlaces(_ unit: Int) throws(FamilyError) {
    try append(files[unit].text.places, to: SpoolUnit.placesName, of: unit)
    files[unit].written.places += files[unit].text.places.count
    files[unit].text.places.removeAll(keepingCapacity: true)
  }

  private func append(_ bytes: [UInt8], to name: String, of unit: Int) throws(FamilyError) {
    guard !bytes.isEmpty else { return }
    let path = "\(folder)/\(files[unit].unit.name)"
    if !files[unit].isMade {
      do { try FileSystem.makeFolder(path) } catch { throw FamilyError(error) }
      files[unit].isMade = true
    }
    files[unit].states["\(files[unit].unit.name)/\(name)"] = try FamilyFiles.append(bytes, to: "\(path)/\(name)")
  }
}
