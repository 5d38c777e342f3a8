/// Settings of a connection: the one place where the project decides them, with the reasons.
///
/// Everything is set explicitly, as builds of SQLite differ in their defaults (Debian's has `secure_delete` on).
/// Source: [PRAGMA statements](https://sqlite.org/pragma.html).
package struct Pragmas: Sendable {
  /// The statements in the order in which they run.
  package let statements: [String]

  /// Takes statements that were checked.
  package init(statements: [String]) { self.statements = statements }

  /// A new store that is built beside its final name and thrown away when anything fails.
  ///
  /// - `journal_mode=OFF`, `synchronous=OFF`: nothing has to survive a crash before the final sync and rename. A
  ///   statement that fails half-way would leave the file undefined, so a failing row must be found before it is
  ///   written, or the file discarded.
  /// - `locking_mode=EXCLUSIVE`: no lock calls a statement and no check whether another process changed the file.
  /// - `secure_delete=OFF`: freed pages are not overwritten with zeros.
  /// - `temp_store=FILE`: the sorts of index builds stay inside the memory budget.
  /// - `threads`: helpers that sort for `CREATE INDEX`.
  /// - `journal_mode=TRUNCATE` when batches are kept: a transaction that was not committed is rolled back by whoever
  ///   opens the file next, so a process may be killed at any time. Pages that a transaction adds are not journalled.
  ///   Without `synchronous` that holds for processes that die, not for machines that stop.
  /// - Parameters:
  ///   - cacheKiB: The page cache in KiB; it also bounds the memory of one sort.
  ///   - keepsBatches: Whether there are commits before the end.
  package static func load(cacheKiB: Int = 32 * 1024, threads: Int = 1, keepsBatches: Bool = false) -> Pragmas {
    Pragmas(statements: [
      "PRAGMA journal_mode=\(keepsBatches ? "TRUNCATE" : "OFF")", "PRAGMA synchronous=OFF",
      "PRAGMA locking_mode=EXCLUSIVE",
      "PRAGMA cache_size=-\(cacheKiB)", "PRAGMA temp_store=FILE", "PRAGMA secure_delete=OFF",
      "PRAGMA threads=\(threads)",
    ])
  }

  /// The overlay in which a run into an existing store is planned.
  ///
  /// - `synchronous=OFF`: SQLite checks each frame of a log, so that a machine that stops leaves an earlier commit.
  /// - `wal_autocheckpoint=0`: there is no file that the log could be moved into.
  package static func plan(cacheKiB: Int = 32 * 1024) -> Pragmas {
    Pragmas(statements: [
      "PRAGMA synchronous=OFF", "PRAGMA wal_autocheckpoint=0", "PRAGMA cache_size=-\(cacheKiB)",
      "PRAGMA temp_store=FILE", "PRAGMA secure_delete=OFF",
    ])
  }

  /// An existing store that is changed in one transaction, in the journal mode that it has.
  ///
  /// - `synchronous=FULL`: there is one commit, and it is worth waiting for the disk.
  /// - `wal_autocheckpoint=0`: the log is moved at the end, once.
  /// - `cache_size`: also where rows come in the order of their numbers the entries of indexes go everywhere, and a
  ///   page that is given up and changed again makes SQLite compute the checksums of the log anew.
  package static func update(cacheKiB: Int = 32 * 1024) -> Pragmas {
    Pragmas(statements: [
      "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=0", "PRAGMA cache_size=-\(cacheKiB)",
      "PRAGMA temp_store=FILE", "PRAGMA secure_delete=OFF",
    ])
  }

  /// A store of a coordinator, which lives as long as a program and may be open elsewhere too.
  ///
  /// - `journal_mode=WAL`: readers and one writer at a time do not wait for each other.
  /// - `synchronous=FULL`: unlike an import, a save is worth waiting for the disk.
  /// - `wal_autocheckpoint=1000`: the log must not grow with the program's life.
  package static func shared(cacheKiB: Int = 8 * 1024) -> Pragmas {
    Pragmas(statements: [
      "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=1000",
      "PRAGMA cache_size=-\(cacheKiB)", "PRAGMA temp_store=FILE", "PRAGMA secure_delete=OFF",
    ])
  }

  /// A database in memory: it can roll back, and nothing of it survives the connection.
  ///
  /// - `journal_mode=MEMORY`: what a transaction changed is kept until it ends, as a save may fail.
  package static let memory = Pragmas(statements: [
    "PRAGMA journal_mode=MEMORY", "PRAGMA synchronous=OFF", "PRAGMA temp_store=FILE", "PRAGMA secure_delete=OFF",
  ])

  /// A store that is only read, possibly damaged: cells are checked when pages are read.
  package static func read(cacheKiB: Int = 8 * 1024) -> Pragmas {
    Pragmas(statements: [
      "PRAGMA query_only=ON", "PRAGMA cell_size_check=ON", "PRAGMA cache_size=-\(cacheKiB)", "PRAGMA temp_store=FILE",
    ])
  }
}

extension Connection {
  /// Runs the settings.
  package func apply(_ pragmas: Pragmas) throws(SQLiteError) {
    for statement in pragmas.statements { try execute(statement) }
  }
}
