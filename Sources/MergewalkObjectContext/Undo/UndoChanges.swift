import MergewalkObjectStore

/// The values that one event changed in a context, as they were before: enough to restore them, and as compact as rows
/// are.
///
/// Only the first old value of a cell is kept, whatever was set after it. Objects are held, so that records keep their
/// objects and rows while they can be undone.
final class UndoChanges {
  /// The change of a record.
  enum Kind: UInt8 {
    /// It was there and still is; the cells that changed are known.
    case changed
    case inserted
    /// It was there and is not any more; all its cells are known.
    case removed
  }
  struct Record {
    let object: ManagedObject
    var kind: Kind
  }
  struct Pair {
    /// The relationship, seen from the owners of its pairs.
    var relation: LinkRelation
    var change: LinkChanges.Change
  }

  /// The value that an object kept for a transient attribute outside of its row.
  struct Transient {
    var record: Int
    var slot: Int
    var value: Any?
  }

  /// The store's state when the event ended: what is known of pairs is final only until then.
  var storedVersion: UInt32
  private(set) var records = ContiguousArray<Record>()
  /// Old cells; `row` is the place of the record in ``records``.
  private(set) var cells = ContiguousArray<CellSnapshot>()
  private(set) var pairs = ContiguousArray<Pair>()
  private(set) var transients: [Transient] = []
  /// The bytes of cells; made for the first one.
  private(set) var arena: ByteArena?

  init(storedVersion: UInt32) { self.storedVersion = storedVersion }

  var isEmpty: Bool { records.isEmpty && pairs.isEmpty }

  /// Takes a record in; returns its place.
  func append(_ object: ManagedObject, _ kind: Kind) -> Int {
    records.append(Record(object: object, kind: kind))
    return records.count - 1
  }

  /// Learns more about a record.
  func setKind(_ record: Int, _ kind: Kind) { records[record].kind = kind }

  /// Keeps a cell of a row.
  ///
  /// - Parameter inline: The bytes to keep instead of the cell's, which only names a file.
  func keep(_ buffer: RowBuffer, row: Int, slot: Int, record: Int, inline: [UInt8]? = nil) {
    var cell = buffer.snapshot(row: row, slot: slot)
    cell.row = Int32(record)
    if cell.tag == CellTag.text || cell.tag == CellTag.blob {
      let bytes = arena ?? ByteArena(capacity: 64)
      arena = bytes
      if let inline {
        cell.payload = inline.withUnsafeBytes { bytes.append($0).payload }
      } else {
        cell.payload = bytes.append(buffer.arena.bytes(ByteRange(payload: cell.payload))).payload
      }
    }
    cells.append(cell)
  }

  /// How many bytes of texts and blobs are kept.
  var byteCount: Int { arena?.count ?? 0 }

  /// Keeps what an object has for a transient attribute.
  func keep(_ value: Any?, record: Int, slot: Int) {
    transients.append(Transient(record: record, slot: slot, value: value))
  }

  /// Keeps what was to become of a pair.
  func keep(_ change: LinkChanges.Change, _ relation: LinkRelation) {
    pairs.append(Pair(relation: relation, change: change))
  }

  /// Replaces keys in references and pairs.
  func replaceKeys(_ recorder: ChangeRecorder) {
    for i in cells.indices where cells[i].tag == CellTag.integer {
      let table = records[Int(cells[i].row)].object.table
      cells[i].payload = recorder.currentPayload(cells[i], table: table)
    }
    for i in pairs.indices { pairs[i] = recorder.current(pairs[i]) }
  }
}
