/// The tables of a sample, found by the rules that the reader has for ``CSVOptions/table``.
struct TableGroups {
  /// The rows of one table, as indices in `SampleTable.rows`.
  struct Group {
    var rows: Range<Int>
    var first: RecordOutline
    var records: Int
    var line: Int
  }

  /// Tables in the order of the file, titles left out.
  private(set) var groups: [Group] = []

  /// Finds the tables from a row on.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, from start: Int = 0) {
    let rows = table.rows.indices.dropFirst(start).filter {
      table.rows[$0].kind != .comment && table.rows[$0].kind != .rule
    }
    func outline(_ i: Int) -> RecordOutline? {
      i < rows.count ? RecordOutline(bytes, table, table.rows[rows[i]]) : nil
    }
    var i = 0
    while let first = outline(i) {
      let next = (i..<i + TableRules.lookahead).compactMap(outline)
      if first.isBlank || TableRules.isTitle(next) {
        i += 1
        continue
      }
      let start = i
      repeat {
        i += 1
      } while outline(i).map {
        !TableRules.ends($0, before: outline(i + 1), width: first.width, header: first)
      } ?? false
      groups.append(
        Group(
          rows: rows[start]..<(i < rows.count ? rows[i] : table.rows.count), first: first, records: i - start,
          line: table.rows[rows[start]].line))
    }
  }

  /// The tables, if there are several, each with a header and a record; else none.
  ///
  /// Lines of one field above, between and below them are remarks.
  func several(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable) -> [Group] {
    var wide = groups.filter { $0.first.width > 1 }
    // Some narrow records without a column of values are remarks about the table below them.
    while wide.count > 1, wide[0].first.width < wide[1].first.width, wide[0].records <= 10,
      !hasValues(bytes, table, wide[0])
    {
      wide.removeFirst()
    }
    guard wide.count > 1, let first = wide.first, first.records > 1 else { return [] }
    for group in groups where group.first.width == 1 && group.records > 10 { return [] }
    for group in wide {
      guard group.first.isNames, group.records > 1 else { return [] }
      if group.line == first.line || group.first.isAgain(first.first) { continue }
      // Two records that are both a field too long are no table: something else must show that it is one.
      let before = table.rows[group.rows.lowerBound - 1]
      let isApart = group.first.width != first.first.width && (before.kind != .record || before.width == 1)
      if !isApart, !hasValues(bytes, table, group), !sharesNames(bytes, table, group, first) { return [] }
    }
    // The same header again is no other table: files were put one behind the other.
    return wide.allSatisfy { $0.first.isAgain(first.first) } ? [] : wide
  }

  /// Whether at least half of the names of one table are names of another.
  private func sharesNames(
    _ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ group: Group, _ other: Group
  ) -> Bool {
    func names(_ group: Group) -> [String] {
      table.cells(of: table.rows[group.rows.lowerBound]).map {
        String(decoding: bytes[$0.start..<$0.end], as: UTF8.self)
      }
    }
    let known = Set(names(other))
    return names(group).count(where: known.contains) * 2 >= group.first.width
  }

  /// Whether a column of a table has numbers, dates or the like only, below its first record.
  private func hasValues(_ bytes: UnsafeBufferPointer<UInt8>, _ table: SampleTable, _ group: Group) -> Bool {
    let kinds = table.rows[group.rows].filter { $0.kind == .record }.dropFirst().prefix(50).map { row in
      table.cells(of: row).map { CellKind(bytes, $0.start, $0.end) }
    }
    return (0..<group.first.width).contains { column in
      kinds.allSatisfy { column < $0.count && ($0[column].isTyped || $0[column] == .empty) }
        && kinds.contains { column < $0.count && $0[column].isTyped }
    }
  }
}
