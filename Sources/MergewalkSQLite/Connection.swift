import CMergewalkSQLite
import MergewalkSystem

/// An open connection to one SQLite file, confined to the task that made it.
///
/// The connection has no mutex (`SQLITE_OPEN_NOMUTEX`), so neither it nor its statements may be used by two threads
/// at the same time. All statements are ended when it closes.
/// Source: [Using SQLite in multi-threaded applications](https://sqlite.org/threadsafe.html).
package final class Connection {
  /// How a file is opened.
  package enum Mode: Sendable, Hashable {
    /// The file must exist and is never changed.
    case readOnly
    /// As ``readOnly``, and the file does not change while it is open: no locks, and no `-wal` or `-shm` file.
    ///
    /// A file whose header says write-ahead mode can only be read so when its folder cannot be written.
    case immutable
    /// The file must exist.
    case readWrite
    /// The file is made when it does not exist.
    case create
  }

  package let handle: OpaquePointer
  /// The file's path as given.
  package let path: String
  /// The file's name in errors: its path, unless it stands for another one.
  package var name: String
  /// The snapshot that an overlay reads; `nil` for all other connections.
  private let snapshot: DatabaseSnapshot?
  /// How many statements ran: every first step after a reset counts, whichever call made it.
  ///
  /// Unchecked exclusivity: it is touched once a row in the hot loops, and the class is confined to one thread.
  @exclusivity(unchecked) package private(set) var statementsExecuted = 0
  /// Whether ``close()`` was called.
  package private(set) var isClosed = false

  /// The statements that are not finalized; those that virtual tables keep for themselves are not among them.
  private var statements: Set<OpaquePointer> = []
  /// The purpose of a statement, for code that keeps rows from SQLite for a while.
  package enum Use: Sendable, Hashable {
    /// It is compiled: only the schema is read.
    case compiling
    /// It begins or ends a transaction, or touches no row that could be kept back.
    case bookkeeping
    /// It may read or write any row.
    case rows
  }

  /// Is called before a statement is compiled or run, for what has to be in the file before SQLite looks at it.
  package var willUseFile: ((Use) throws(SQLiteError) -> Void)?
  private var tracer: Tracer?
  /// The question that is asked now and then while statements run.
  private var question: Question?

  /// Switches memory statistics off before the library starts.
  ///
  /// They cost a global mutex at every allocation and nothing here reads them. The call has no effect,
  /// and does no harm, when something else in the process used SQLite before.
  private static let libraryPrepared = mergewalk_config(SQLITE_CONFIG_MEMSTATUS, 0)

  /// Opens a file.
  ///
  /// Extended result codes are on and `foreign_keys` is untouched. The schema of the file is not trusted: its triggers
  /// and views may call only functions that are marked innocuous. Files that are not made by us are opened in
  /// SQLite's defensive mode as well (not with ``Mode/create``, as that mode also forbids `journal_mode=OFF`).
  /// Source: [Defense against the dark arts](https://sqlite.org/security.html).
  ///
  /// - Throws: ``SQLiteError`` when the file cannot be opened. That a file is no database shows at the first statement.
  package convenience init(path: String, mode: Mode) throws(SQLiteError) {
    try self.init(path: path, mode: mode, files: nil, snapshot: nil)
  }

  /// Opens an overlay of a snapshot: it reads as the database did, and whatever is written goes to `log` + `-wal`.
  ///
  /// What an earlier process has committed there is part of it. The connection must be the only one with this log.
  ///
  /// - Parameter log: The path of an existing file, whose access the log gets, and which is not read.
  package convenience init(overlay snapshot: DatabaseSnapshot, log: String) throws(SQLiteError) {
    guard let files = OverlayFiles.name else {
      throw SQLiteError(code: SQLITE_CANTOPEN, message: "SQLite does not take our way to files")
    }
    try self.init(path: log, mode: .readWrite, files: files, snapshot: snapshot)
    keepLogOnClose()
    // First of all: without it SQLite wants shared memory.
    try execute("PRAGMA locking_mode=EXCLUSIVE")
  }

  private init(
    path: String, mode: Mode, files: UnsafePointer<CChar>?, snapshot: DatabaseSnapshot?
  ) throws(SQLiteError) {
    _ = Connection.libraryPrepared
    let access =
      switch mode {
      case .readOnly, .immutable: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var opened: OpaquePointer?
    let flags = access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let uri = snapshot.map { OverlayFiles.uri(path, $0) } ?? Connection.uri(path, mode)
    let code = sqlite3_open_v2(uri, &opened, flags, files)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(handle: opened, fallback: code)
      sqlite3_close(opened)
      let isFolder = stat(path: path)?.isFolder ?? false
      throw SQLiteError(
        code: error.code, message: "cannot open \(path): \(isFolder ? "it is a folder, not a file" : error.message)")
    }
    handle = opened
    self.path = path
    self.snapshot = snapshot
    name = path
    sqlite3_busy_timeout(opened, 2000)
    mergewalk_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nil)
    mergewalk_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nil)
    if mode != .create { mergewalk_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nil) }
  }

  deinit {
    if !isClosed { _ = closeHandle() }
  }

  /// The name that makes SQLite open just this path, in `ATTACH` too, also when it looks like a URI or has a query.
  ///
  /// An attached file is opened as the connection's own, unless its mode is one that only reads.
  package static func uri(_ path: String, _ mode: Mode) -> String {
    if path == ":memory:" { return path }
    var result = path.hasPrefix("/") ? "file://" : "file:"
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "?": result += "%3f"
      case "#": result += "%23"
      default: result.unicodeScalars.append(scalar)
      }
    }
    switch mode {
    case .immutable: return result + "?immutable=1"
    case .readOnly: return result + "?mode=ro"
    case .readWrite, .create: return result
    }
  }

  /// Ends all statements and closes the file; closing twice does nothing.
  ///
  /// - Throws: ``SQLiteError`` when SQLite refuses, for example because a backup is running.
  package func close() throws(SQLiteError) {
    if isClosed { return }
    let code = closeHandle()
    guard code == SQLITE_OK else { throw SQLiteError(handle: handle, fallback: code) }
  }

  private func closeHandle() -> Int32 {
    // Not all that SQLite knows: full-text and R-tree tables finalize their own when they are disconnected.
    for statement in statements { sqlite3_finalize(statement) }
    statements = []
    isClosed = true
    let code = sqlite3_close(handle)
    if code != SQLITE_OK { isClosed = false }
    return code
  }

  /// Runs all statements in a text and throws their rows away.
  ///
  /// - Throws: ``SQLiteError`` of the first statement that fails; the ones before it stay done.
  package func execute(_ sql: String, _ use: Use = .rows) throws(SQLiteError) {
    if isClosed { throw SQLiteError.closed(sql) }
    try willUseFile?(use)
    var text = Array(sql.utf8CString)
    var failure: SQLiteError?
    text.withUnsafeMutableBufferPointer { buffer in
      var rest = UnsafePointer(buffer.baseAddress)
      while failure == nil, let start = rest, start.pointee != 0 {
        var statement: OpaquePointer?
        var code = sqlite3_prepare_v2(handle, start, -1, &statement, &rest)
        if code == SQLITE_OK, let statement {
          countStatement()
          repeat { code = sqlite3_step(statement) } while code == SQLITE_ROW
          if code == SQLITE_DONE { code = SQLITE_OK }
        }
        if code != SQLITE_OK { failure = SQLiteError(handle: handle, fallback: code, sql: sql) }
        sqlite3_finalize(statement)
      }
    }
    if let failure { throw failure }
  }

  /// Compiles the first statement of a text for repeated use.
  ///
  /// - Throws: ``SQLiteError`` when the text is no statement or names what is not there.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    if isClosed { throw SQLiteError.closed(sql) }
    try willUseFile?(.compiling)
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw SQLiteError(handle: handle, fallback: code == SQLITE_OK ? SQLITE_MISUSE : code, sql: sql)
    }
    return Statement(handle: statement, sql: sql, connection: self)
  }

  /// The first column of the first row as an integer; `nil` when there is no row or it is null.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
  }

  /// The first column of the first row as text; `nil` when there is no row or it is null.
  package func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() && !statement.isNull(0) ? statement.text(0) : nil
  }

  /// Takes over a statement, to finalize it when the connection closes.
  func register(_ statement: OpaquePointer) { statements.insert(statement) }

  /// Finalizes a statement, unless closing did.
  func finalize(_ statement: OpaquePointer) {
    if statements.remove(statement) != nil { sqlite3_finalize(statement) }
  }

  /// Adds one to ``statementsExecuted``; statements call it.
  package func countStatement() { statementsExecuted &+= 1 }

  /// How many rows the last INSERT, UPDATE or DELETE changed, without those that triggers changed.
  package var changes: Int { isClosed ? 0 : Int(sqlite3_changes(handle)) }

  /// How many rows were changed since the connection was opened, those that triggers changed included.
  package var totalChanges: Int { isClosed ? 0 : Int(sqlite3_total_changes64(handle)) }

  /// Whether no transaction is open.
  package var isAutocommit: Bool { isClosed || sqlite3_get_autocommit(handle) != 0 }

  /// Sets one of SQLite's `SQLITE_DBCONFIG_…` switches and returns whether SQLite knows it.
  @discardableResult
  package func setOption(_ option: Int32, _ isOn: Bool) -> Bool {
    mergewalk_db_config(handle, option, isOn ? 1 : 0, nil) == SQLITE_OK
  }

  /// Whether an option of the connection is on.
  package func option(_ option: Int32) -> Bool {
    var isOn: Int32 = 0
    return mergewalk_db_config(handle, option, -1, &isOn) == SQLITE_OK && isOn == 1
  }

  /// The first bytes of the database file; fewer than `count` when it is shorter, `nil` when it cannot be read.
  ///
  /// They are read through SQLite's own file handle: opening the file a second time and closing it again would drop
  /// all locks that this process holds on it.
  /// Source: [How to corrupt an SQLite database file, section 2.2](https://sqlite.org/howtocorrupt.html).
  package func head(count: Int) -> [UInt8]? {
    guard let size = fileSize else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(count, size))
    return bytes.withUnsafeMutableBytes { read(at: 0, into: $0) } ? bytes : nil
  }

  /// The size of the database file in bytes; `nil` when SQLite cannot tell.
  package var fileSize: Int? {
    withFile { file, methods in
      var length: sqlite3_int64 = 0
      guard let size = methods.xFileSize, size(file, &length) == SQLITE_OK else { return nil }
      return Int(length)
    }
  }

  /// Fills `buffer` with bytes of the database file, through SQLite's own file handle as ``head(count:)``.
  ///
  /// - Returns: Whether the file has that many bytes there and they could be read.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    withFile { file, methods in
      methods.xRead?(file, buffer.baseAddress, Int32(buffer.count), sqlite3_int64(offset)) == SQLITE_OK
    } ?? false
  }

  private func withFile<Value>(
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Value?
  ) -> Value? {
    guard let (file, methods) = mainFile else { return nil }
    return body(file, methods)
  }

  /// SQLite's handle of the database file; `nil` for a database in memory.
  var mainFile: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods)? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods
    else { return nil }
    return (file, methods.pointee)
  }

  /// How long a statement waits for another connection's lock.
  package func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Registers a function that takes any values and returns null, so that triggers that call it can run.
  ///
  /// - Throws: ``SQLiteError`` when the name is too long or there are more than 127 arguments.
  package func registerNullFunction(_ name: String, argumentCount: Int32) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | SQLITE_INNOCUOUS, nil, { call, _, _ in sqlite3_result_null(call) },
      nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(handle: handle, fallback: code) }
  }

  /// Keeps the write-ahead log as it is when the connection closes, instead of moving it into the file.
  package func keepLogOnClose() { setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }

  /// Runs `body`, whose statements end with `SQLITE_INTERRUPT` soon after `shouldStop` says so.
  ///
  /// It is asked on this thread, every few thousand steps of SQLite's virtual machine. Inside `body` others may be
  /// asked as well. Source: [Query Progress Callbacks](https://sqlite.org/c3ref/progress_handler.html).
  package func interruptible<Value, Failure>(
    _ shouldStop: () -> Bool, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withoutActuallyEscaping(shouldStop) { shouldStop throws(Failure) in
      let outer = question
      ask(Question(outer: outer, shouldStop))
      defer { ask(outer) }
      return try body()
    }
  }

  /// Ends statements from now on soon after `shouldStop` says so; `nil` lets them run.
  package func interruptStatements(when shouldStop: (() -> Bool)?) {
    ask(shouldStop.map { Question(outer: nil, $0) })
  }

  /// Asks this question from now on; `nil` for none.
  private func ask(_ question: Question?) {
    self.question = question
    guard let question, !isClosed else {
      if !isClosed { sqlite3_progress_handler(handle, 0, nil, nil) }
      return
    }
    sqlite3_progress_handler(
      handle, 5000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Question>.fromOpaque(context).takeUnretainedValue().isYes ? 1 : 0
      }, Unmanaged.passUnretained(question).toOpaque())
  }

  /// Calls `body` with every statement's text, values filled in, when it starts; `nil` stops.
  ///
  /// For tests.
  package func trace(_ body: ((String) -> Void)?) {
    tracer = body.map(Tracer.init)
    guard let tracer else {
      sqlite3_trace_v2(handle, 0, nil, nil)
      return
    }
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, plain in
        guard let context, let plain else { return 0 }
        let tracer = Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
        if let statement, let expanded = sqlite3_expanded_sql(OpaquePointer(statement)) {
          tracer.body(String(cString: expanded))
          sqlite3_free(expanded)
        } else {
          tracer.body(String(cString: plain.assumingMemoryBound(to: CChar.self)))
        }
        return 0
      }, Unmanaged.passUnretained(tracer).toOpaque())
  }
}

/// A class around a closure, so that a C pointer can refer to it.
private final class Question {
  private let outer: Question?
  private let body: () -> Bool

  init(outer: Question?, _ body: @escaping () -> Bool) {
    self.outer = outer
    self.body = body
  }

  /// Whether this one or one around it says so.
  var isYes: Bool { body() || outer?.isYes ?? false }
}

/// A class around a closure, so that a C pointer can refer to it.
private final class Tracer {
  let body: (String) -> Void
  init(_ body: @escaping (String) -> Void) { self.body = body }
}

@available(*, unavailable, message: "a connection is confined to one task; open another one there")
extension Connection: Sendable {}
