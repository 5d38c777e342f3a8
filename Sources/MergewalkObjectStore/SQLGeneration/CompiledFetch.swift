package import MergewalkObjectModel

package enum FetchSelection: Hashable, Sendable {
  /// Primary key and entity number; with the values of the sort keys behind them if wanted.
  case primaryKeys(withSortKeys: Bool)
  /// The columns of ``TableAccess/selectList(_:)``: primary key, entity number, version, then the slots' columns; with
  /// the values of the sort keys behind them if wanted.
  case rows(slots: [Int], withSortKeys: Bool = false)
  /// The request's properties to fetch, by default all attributes and to-one relationships: what dictionaries hold.
  case values
  /// The number of results, limit and offset applied.
  case count
}

/// A value for a parameter of a compiled statement.
package enum SQLBinding: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// Seconds since 2001-01-01 UTC at the time when the statement starts: one value a run.
  case now
  /// A long list of constants, which the statement reads as a table.
  case list([SQLBinding])
}

/// One value of a row that a fetch returns.
package struct FetchedColumn: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// `Z_PK`.
    case primaryKey
    /// `Z_ENT`: the entity's number in this store.
    case entityNumber
    /// `Z_OPT`.
    case version
    /// A cell of a row as ``TableAccess`` reads it: a slot's value, its entity column, its order key.
    case cell
    /// An attribute's value, or an expression's; ``AttributeType/undefined`` when each value says its own type.
    case value(AttributeType)
    /// An object by its primary key; its own entity's number is in the next SQL column if `hasEntityColumn`, else the
    /// object is of the entity at `entity`.
    case objectID(entity: Int, hasEntityColumn: Bool)
  }

  /// The key in dictionaries, the key path of a sort descriptor, or the SQL column's name.
  package var name: String
  package var kind: Kind
  /// The number of the (first) SQL column, from 0.
  package var position: Int32
  /// Whether the first byte of a value says where its bytes are: it is that of an attribute that allows files beside the
  /// store, whatever the value is called.
  package var isExternal = false
}

/// A statement that was made of a request: text without values, and the values.
///
/// It depends on the schema only, so it may be kept and run again.
package struct CompiledFetch: Hashable, Sendable {
  /// The statement, with parameters for values, so that requests that differ in values only have the same text.
  package var sql: String
  /// The parameters in order.
  package var bindings: [SQLBinding]
  /// The kinds of the columns.
  ///
  /// For ``FetchSelection/rows(slots:withSortKeys:)`` every SQL column; for dictionaries one a key.
  package var columns: [FetchedColumn]
  /// The index in ``columns`` of the first sort key; the count of ``columns`` when none are selected.
  package var firstSortKey: Int
  /// The index in the model of the entity that is fetched.
  package var entity: Int
}
