import CMergewalkSQLite
import MergewalkSystem

/// SQLite's file methods for overlays: databases that read a ``DatabaseSnapshot`` and keep changes in their own log.
///
/// For the next developer:
/// - An overlay is a database in write-ahead mode whose file is the snapshot and cannot be written; its `-wal` is a
///   real file. So searches, constraints, savepoints and recovery after a crash are SQLite's own, and the log is the
///   overlay.
/// - The log is never moved into the "file": no connection may checkpoint, see ``Connection/init(overlay:log:)``.
/// - The methods for the log and for temporary files are the system's own, put into the same `sqlite3_file`: they cost
///   nothing.
/// - Only `locking_mode=EXCLUSIVE` works: version 1 of the methods has no shared memory, so SQLite keeps the index of
///   the log in its heap.
///
/// Source: [The OS Backend](https://sqlite.org/vfs.html), [WAL without shared
/// memory](https://sqlite.org/wal.html#noshm).
enum OverlayFiles {
  // Pointers that SQLite keeps for ever: they are set once, before the first use, and nothing behind them changes.
  /// The name under which SQLite knows it; `nil` when it could not be registered.
  nonisolated(unsafe) static let name: UnsafePointer<CChar>? = register()

  /// The name that opens an overlay of a snapshot at a path.
  ///
  /// The snapshot is a parameter of it: its address, which is good for as long as the connection keeps the snapshot.
  static func uri(_ path: String, _ snapshot: DatabaseSnapshot) -> String {
    let address = Int(bitPattern: Unmanaged.passUnretained(snapshot).toOpaque())
    return Connection.uri(path, .readWrite) + "?" + parameter + "=\(address)"
  }

  private static let parameter = "mergewalk_snapshot"

  nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

  private static func register() -> UnsafePointer<CChar>? {
    guard let system else { return nil }
    guard let name = strdup("mergewalk-overlay").map({ UnsafePointer($0) }) else { return nil }
    let files = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // All other calls are the system's, with what they need in the copy.
    files.initialize(to: system.pointee)
    files.pointee.zName = name
    files.pointee.pNext = nil
    files.pointee.szOsFile = max(system.pointee.szOsFile, Int32(OverlayFile.size))
    files.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let file, let system = OverlayFiles.system else { return SQLITE_CANTOPEN }
      guard flags & SQLITE_OPEN_MAIN_DB != 0 else {
        return system.pointee.xOpen?(system, name, file, flags, outFlags) ?? SQLITE_CANTOPEN
      }
      guard let address = name.flatMap({ sqlite3_uri_parameter($0, OverlayFiles.parameter) }),
        let snapshot = Int(String(cString: address)).flatMap({ UnsafeRawPointer(bitPattern: $0) })
      else {
        file.pointee.pMethods = nil
        return SQLITE_CANTOPEN
      }
      OverlayFile(file).open(snapshot)
      outFlags?.pointee = flags
      return SQLITE_OK
    }
    return sqlite3_vfs_register(files, 0) == SQLITE_OK ? name : nil
  }
}

/// A `sqlite3_file` that stands for a snapshot.
private struct OverlayFile {
  /// The methods and the snapshot.
  static let size = 2 * MemoryLayout<UnsafeRawPointer>.size

  private let raw: UnsafeMutableRawPointer

  init(_ file: UnsafeMutablePointer<sqlite3_file>) { raw = UnsafeMutableRawPointer(file) }

  var snapshot: DatabaseSnapshot {
    Unmanaged<DatabaseSnapshot>.fromOpaque(
      raw.load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeRawPointer.self)
    ).takeUnretainedValue()
  }

  func open(_ snapshot: UnsafeRawPointer) {
    raw.assumingMemoryBound(to: sqlite3_file.self).pointee.pMethods = UnsafePointer(Self.methods)
    raw.storeBytes(of: snapshot, toByteOffset: MemoryLayout<UnsafeRawPointer>.size, as: UnsafeRawPointer.self)
  }

  /// Reads as SQLite wants it: what is not there is zero, and said.
  func read(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int32 {
    let snapshot = snapshot
    let size = snapshot.pageCount * snapshot.pageSize
    let count = min(buffer.count, max(0, size - offset))
    let there = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    if count > 0, !snapshot.read(at: offset, into: there) { return mergewalk_ioerr_read }
    // The header says how the file is written and read: with a log, whatever the database itself has.
    for version in 18...19 where offset <= version && version < offset + count {
      there.storeBytes(of: 2, toByteOffset: version - offset, as: UInt8.self)
    }
    guard count < buffer.count else { return SQLITE_OK }
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    return mergewalk_ioerr_short_read
  }

  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = { _ in SQLITE_OK }
    methods.xRead = { file, buffer, count, offset in
      guard let file, let buffer else { return SQLITE_MISUSE }
      return OverlayFile(file).read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), Int(offset))
    }
    methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
    methods.xTruncate = { _, _ in SQLITE_READONLY }
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xFileSize = { file, size in
      guard let file, let size else { return SQLITE_MISUSE }
      let snapshot = OverlayFile(file).snapshot
      size.pointee = sqlite3_int64(snapshot.pageCount * snapshot.pageSize)
      return SQLITE_OK
    }
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return pointer
  }()
}
