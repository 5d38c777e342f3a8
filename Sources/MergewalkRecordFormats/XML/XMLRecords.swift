import MergewalkDiagnostics

/// Makes records from libxml2's events for one document.
///
/// Events come in the order of the text. Elements outside records only move `depth` and the masks of the records' path.
/// Inside a record, `open` has an entry for each element that is on the way to a requested column or inside one;
/// everything else is counted in `skipped`. Values remain ranges of the text if it has them unchanged.
///
/// Advice for the next editor: this runs for every tag of the input. It lives behind a pointer, so that nothing counts
/// references or checks for exclusive access.
struct XMLRecords {
  // What is asked for.
  let columns: XMLColumns
  let elements: UnsafeMutablePointer<XMLElementNode>
  let attributes: UnsafeMutablePointer<XMLAttributeNode>
  let each: Int32
  let mixed: XMLOptions.MixedContent
  let maxRecordBytes: Int
  let comparesURIs: Bool
  let known: XMLKnownNames
  let steps: [XMLStep]
  let isAnywhere: Bool

  // The text.
  let window: TextWindow
  /// The offset at which the parser stood when it reported what is being looked at.
  var offset = 0
  /// Whether that comes from an entity and not from the document's text.
  var isInEntity = false
  /// The offset from which those of events count.
  var base = 0
  /// The text that is kept, whose first byte has the offset `textStart`.
  var textBase: UnsafePointer<UInt8>?
  var textStart = 0
  var textEnd = 0
  /// Where bytes stand that are no text and were replaced, in order.
  var faults: [(at: Int, isNul: Bool)] = []

  // The document.
  var depth = 0
  /// For each open element outside records, how many names of the records' path may be matched by it: bit i for i names.
  let masks: UnsafeMutablePointer<UInt64>
  /// The namespaces that elements around records declare, and at which depth they stand.
  var around: [(depth: Int, item: XMLScope.Item)] = []
  /// Those in force, as text, and whether a batch is to be told.
  var scope = ""
  var isScopeNew = false
  /// Whether a record was found, and what stands in its place until then.
  var hasRecords = false
  var outline = XMLOutline()
  var failure: (code: ReadError.Code, at: Int, message: String)?

  // The record that is open.
  let open: UnsafeMutablePointer<XMLOpenElement>
  var openCount = 0
  /// How many elements are open inside the innermost one of `open`, of which nothing is asked.
  var skipped = 0
  var recordStart = 0
  /// Where the reference stands that the record comes from; nil for most.
  var reference: Range<Int>?
  var fault: (code: RecordError.Code, at: Int, message: String)?
  /// Whether an element of a record that is no column is noted in the batch.
  var notesSurplus = false
  var hasSurplus = false
  var longRaw: [UInt8] = []
  var longPosition = SourcePosition.file
  var usedEntities = false
  /// The reference to an unknown entity in a tag that is about to be reported.
  var entityInTag: (at: Int, message: String)?
  var recordIndex = 0
  var ledger = TextLedger()
  var batch: UnsafeMutablePointer<RecordBatch>?

  // Its values.
  let cells: UnsafeMutablePointer<XMLCell>
  var childCells: [XMLChildCell] = []
  /// Where the cells of the current child record start, and for each column where its cell is.
  var childStart = 0
  let childPlaces: UnsafeMutablePointer<Int32>
  var child = -1
  var rows = 0
  var extras: [XMLCell] = []
  var copies: [UInt8] = []
  var json: [UInt8] = []
  var pieces: [XMLTextPiece] = []
  /// The text of elements that are requested with the text of all elements inside, and how many of them are open.
  var strings: [UInt8] = []
  var collecting = 0
  var tree = XMLTree()
  var hasTree = false
  var cdataEnd = -1
  var cdataEndsInReturn = false

  /// Member names for requests of all columns; nil when they are not collected.
  var members: XMLMembers?

  /// The deepest nesting inside a record, and of elements around records.
  static var deepest: Int { JSONScanner.deepest }

  init(
    columns: XMLColumns, steps: [XMLStep], isAnywhere: Bool, options: XMLOptions, known: XMLKnownNames,
    window: TextWindow
  ) {
    self.columns = columns
    elements = columns.elements.baseAddress!
    attributes = columns.attributes.baseAddress!
    each = columns.each
    mixed = options.mixed
    maxRecordBytes = min(max(1, options.maxRecordBytes), 1 << 29)
    comparesURIs = !options.namespaces.isEmpty
    self.known = known
    self.steps = steps
    self.isAnywhere = isAnywhere
    self.window = window
    masks = .allocate(capacity: Self.deepest + 2)
    masks.initialize(repeating: 0, count: Self.deepest + 2)
    masks[0] = 1
    open = .allocate(capacity: Self.deepest + 2)
    open.initialize(repeating: XMLOpenElement(), count: Self.deepest + 2)
    cells = .allocate(capacity: max(1, columns.count))
    cells.initialize(repeating: .absent, count: max(1, columns.count))
    childPlaces = .allocate(capacity: max(1, columns.count))
    childPlaces.initialize(repeating: -1, count: max(1, columns.count))
  }

  func deallocate() {
    masks.deallocate()
    open.deallocate()
    cells.deallocate()
    childPlaces.deallocate()
  }

  // MARK: Places

  /// The offset of the last byte of a value before an offset; the offset itself when there is none.
  func last(_ byte: UInt8, before offset: Int) -> Int {
    guard let textBase, offset > textStart, offset <= textEnd else { return offset }
    var i = offset - textStart
    while i > 0 {
      i -= 1
      if textBase[i] == byte { return textStart + i }
    }
    return offset
  }
}
