import MergewalkSQLite

/// Which records a fetch found, in order: eight bytes a record, and four more when entities inherit.
package struct FetchedKeys: Sendable {
  package private(set) var keys: ContiguousArray<Int64> = []
  /// The entity of all records while ``others`` is empty.
  private var entity: Int32
  /// The entity of each record, when they differ.
  private var others: ContiguousArray<Int32> = []

  /// Creates an empty list.
  ///
  /// - Parameter entity: The index of the entity that most records are expected to have.
  package init(entity: Int) { self.entity = Int32(entity) }

  /// How many records there are.
  package var count: Int { keys.count }

  package func entity(at index: Int) -> Int { Int(others.isEmpty ? entity : others[index]) }

  /// Adds a record.
  @inline(__always)
  package mutating func append(_ key: Int64, entity own: Int32) {
    if !others.isEmpty {
      others.append(own)
    } else if own != entity {
      if keys.isEmpty {
        entity = own
      } else {
        others.append(contentsOf: repeatElement(entity, count: keys.count))
        others.append(own)
      }
    }
    keys.append(key)
  }

  /// Adds the records of rows of a buffer.
  package mutating func append(contentsOf rows: ContiguousArray<Int32>, of buffer: RowBuffer) {
    keys.reserveCapacity(keys.count + rows.count)
    let (primaryKeys, entities) = (buffer.primaryKeys, buffer.entities)
    let isUniform = others.isEmpty && rows.allSatisfy { entities[Int($0)] == entity }
    if isUniform {
      keys.append(contentsOf: rows.lazy.map { primaryKeys[Int($0)] })
    } else {
      for row in rows { append(primaryKeys[Int(row)], entity: entities[Int(row)]) }
    }
  }

  /// Adds a record of another list.
  package mutating func append(_ other: FetchedKeys, at index: Int) {
    append(other.keys[index], entity: Int32(other.entity(at: index)))
  }

  /// Reads all rows that a cursor has left: primary key and entity number in the first two columns.
  ///
  /// - Parameter sortKeys: Takes the values of the columns it is for, row by row.
  package mutating func read(
    _ cursor: FetchCursor, entities: EntityNumbers, sortKeys: FetchedCells?
  ) throws(FetchError) {
    let statement = cursor.statement
    while try cursor.step() {
      append(statement.integer(0), entity: entities[statement.integer(1)])
      try sortKeys?.readRow(cursor)
    }
  }
}
