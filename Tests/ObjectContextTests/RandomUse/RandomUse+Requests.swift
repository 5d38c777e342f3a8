import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite

extension RandomUse {
  static let attributes = [
    "name", "i16", "i32", "i64", "dec", "dbl", "flt", "flag", "day", "bin", "uid", "uri", "color", "score", "code",
    "obj",
    "temp", "any", "staffCount", "upper", "stamp", "title", "lat", "zip", "size", "nothing", "", "boss", "self",
  ]
  static let toOnes = ["boss", "buddy", "idol", "home", "lead", "planned", "nothing", "name", "staff"]
  static let toManys = [
    "staff", "tags", "plan", "friends", "heard", "leads", "units", "owners", "nothing", "boss", "name", "same",
  ]

  /// Predicates: some are good, some go wrong in SQL, in memory or in both.
  static let formats = [
    "name == 'a'", "i16 > 3", "boss.name BEGINSWITH 'a'", "ANY staff.name == 'b'", "tags.@count > 1",
    "SUBQUERY(staff, $x, $x.i16 > 1).@count > 0", "dec == 0.1", "self == nil", "boss == nil", "name MATCHES '['",
    "name MATCHES '(a+)+b'", "name LIKE[cd] '*a?'", "i64 / 0 == 1", "i64 * 9223372036854775807 > 0",
    "i64 + i16 + 9223372036854775807 > 1", "sum:(staff.i64) > 0", "staff.@sum.i64 > 1", "staffCount == 1",
    "temp == 'x'",
    "any == 1", "nothing == 1", "obj != nil", "day > CAST(1e300, 'NSDate')", "bin == name", "name IN {'a', 1, nil}",
    "i16 BETWEEN {5}", "i16 BETWEEN {1, 'x'}", "staff[0].name == 'a'", "plan[FIRST].title == 'a'",
    "plan[5].title == nil",
    "TERNARY(i16 > 1, name, i64) == 'a'", "dbl ** 1000 > 1", "leftshift:by:(i64, 70) > 0", "random:(0) == 0",
    "random:(i16) == 0", "modulus:by:(i64, 0) == 0", "modulus:by:(i64, -1) == 0", "castObject:toType:(name, 'No') == 1",
    "ALL staff.i16 > 1", "NONE tags.title == 'a'", "name CONTAINS nil", "objectFrom:withIndex:(plan, 3) == nil",
    "median:(staff.i64) > 1", "FUNCTION(i64, 'abs') == 1", "uid == 'x'", "uri == 3", "flag == 7",
  ]
  private static let sorts = [
    "name", "i16", "boss.name", "staff.@count", "temp", "nothing", "staff", "day", "self", "obj",
  ]
  private static let expressions = [
    "sum:(i64)", "count:(name)", "max:(day)", "i64 * 2", "average:(dec)", "min:(name)", "staff.@count", "$x", "nothing",
  ]

  /// A value of any type, mostly a text.
  var value: AttributeValue {
    pick([
      .null, .boolean(true), .integer(Int64(number(5))), .integer(.max), .integer(.min), .integer(70_000),
      .double(.nan),
      .double(.infinity), .double(1e300), .decimal(DecimalNumber(significand: 1, exponent: -1)),
      .decimal(DecimalNumber(significand: 9, exponent: 127)), .string(""), .string("\0"), .string("e\u{301}"),
      .string(String(repeating: "x", count: 300)), .date(-1e300), .date(.nan), .date(5), .uuid(1, 2),
      .uri("not a \u{1}"),
      .binary(Array(repeating: 3, count: number(40))), .string("a\(number(100))"), .string("b"), .string("c"),
    ])
  }

  private func numbers(_ usual: Int) -> Int { number(3) == 0 ? pick([1, 2, 100, .max, -1, .min]) : usual }

  private func request() throws -> FetchRequest {
    var request = FetchRequest(pick(["UsedUnit", "UsedUnit", "UsedSquad", "UsedTag", "City", "Place", "Nothing"]))
    if number(2) == 0 { request.predicate = try ObjectPredicate(format: pick(Self.formats)) }
    if number(8) == 0, !ids.isEmpty {
      let format = pick([
        "self == %@", "boss == %@", "%@ IN staff", "self IN %@", "tags CONTAINS %@", "boss.boss == %@",
      ])
      request.predicate = try ObjectPredicate(format: format, pick(ids))
    }
    request.sortDescriptors = (0..<number(3)).map { _ in
      ObjectSortDescriptor(
        pick(Self.sorts), ascending: number(2) == 0,
        comparison: pick([.standard, .folded([.caseInsensitive]), .localized, .localizedStandard]))
    }
    request.fetchLimit = numbers(0)
    request.fetchOffset = numbers(0)
    request.fetchBatchSize = numbers(0)
    request.includesSubentities = number(4) != 0
    request.includesPendingChanges = number(4) != 0
    request.includesPropertyValues = number(4) != 0
    request.returnsObjectsAsFaults = number(2) == 0
    request.returnsDistinctResults = number(4) == 0
    request.shouldRefreshRefetchedObjects = number(4) == 0
    if number(4) == 0 {
      request.relationshipKeyPathsForPrefetching = [
        pick(["boss", "staff.tags", "boss.boss.staff", "nothing", "name", ".", ""])
      ]
    }
    if number(4) == 0 {
      request.propertiesToFetch = try (0..<number(4)).map { _ in
        if number(2) == 0 { return .property(pick(Self.attributes + Self.toOnes + Self.toManys + ["boss.name"])) }
        return .expression(
          ExpressionDescription(
            name: pick(["e", "f", "name", ""]), expression: try ObjectExpression(format: pick(Self.expressions)),
            resultType: pick([.undefined, .integer16, .date, .string, .decimal])))
      }
    }
    if number(8) == 0 {
      request.propertiesToGroupBy = [.property(pick(Self.attributes))]
      request.havingPredicate = try ObjectPredicate(format: pick(["sum:(i64) > 0", "name == 'a'", "e > 1"]))
    }
    return request
  }

  static func fetch(_ use: RandomUse) throws {
    let (context, request) = (use.context, try use.request())
    switch use.number(6) {
    case 0: use.dictionaries.append(try context.fetchDictionaries(request))
    case 1: use.ids += try context.fetchObjectIDs(request).prefix(4)
    case 2: _ = try context.count(for: request)
    case 3: _ = try context.execute(request)
    default:
      use.fetched.append(try context.fetch(request))
      use.keep(use.fetched[use.fetched.count - 1])
      if use.fetched.count > 8 { use.fetched.removeFirst() }
    }
  }

  static func readResults(_ use: RandomUse) throws {
    for row in use.dictionaries.suffix(3).flatMap({ $0.prefix(5) }) {
      _ = (row.dictionary, row.integer(0), row.double(0))
    }
    for objects in use.fetched { _ = (objects.count, objects.last, objects.map(\.objectID)) }
    for objects in use.fetched { for object in objects.prefix(3) { _ = try object.value(forKey: "name") } }
  }

  /// Fetched results with sections.
  static func follow(_ use: RandomUse) throws {
    if use.results.count > 2 { _ = try use.results.removeFirst().update() }
    let path = use.pick([nil, "name", "i16", "boss.name", "nothing"])
    use.results.append(try FetchedResults(use.request(), in: use.context, sectionKeyPath: path))
  }

  func batch() throws {
    let context = context
    var result = BatchResult()
    switch number(3) {
    case 0:
      let texts = ["1", "i64 + 1", "'x'", "nil", "name", "i64 * 9223372036854775807", "boss", "staff.@count"]
      var request = BatchUpdateRequest(
        "UsedUnit", set: [pick(Self.attributes): try ObjectExpression(format: pick(texts))])
      request.resultType = .objectIDs
      result = try context.execute(request)
    case 1:
      let predicate = try ObjectPredicate(format: pick(Self.formats))
      var request = BatchDeleteRequest(pick(["UsedUnit", "UsedTag", "City", "Nothing"]), where: predicate)
      request.resultType = .objectIDs
      result = try context.execute(request)
    default:
      var request = BatchInsertRequest(
        "UsedUnit", rows: [["name": .attribute(value)], [pick(Self.attributes): .attribute(value)]])
      request.resultType = .objectIDs
      result = try context.execute(request)
    }
    try self.context.mergeChanges(from: result)
  }

  /// Rows as another program may have written them, or damage may have made them.
  static func writeForeignRows(_ use: RandomUse) throws {
    guard use.type == .sqlite else { return }
    let connection = try Connection(path: use.path, mode: .readWrite)
    let key = use.number(9)
    try connection.execute(
      use.pick([
        "DELETE FROM ZUSEDUNIT WHERE Z_PK % 2 = 1", "DELETE FROM ZUSEDTAG WHERE Z_PK = \(key)", "DELETE FROM ZUSEDUNIT",
        "UPDATE ZUSEDUNIT SET ZI16 = 99999", "UPDATE ZUSEDUNIT SET ZNAME = NULL WHERE Z_PK = \(key)",
        "UPDATE ZUSEDUNIT SET ZNAME = X'FF00'", "UPDATE ZUSEDUNIT SET ZI64 = 'text'",
        "UPDATE ZUSEDUNIT SET ZDEC = 'abc'",
        "UPDATE ZUSEDUNIT SET ZDAY = 'Infinity'", "UPDATE ZUSEDUNIT SET ZBOSS = \(key * 7)",
        "UPDATE ZUSEDUNIT SET ZBOSS = 'x'", "UPDATE ZUSEDUNIT SET Z_ENT = \(key)", "UPDATE ZUSEDUNIT SET Z_OPT = NULL",
        "UPDATE ZUSEDUNIT SET Z_OPT = Z_OPT + 1", "UPDATE ZUSEDUNIT SET ZBIN = X'0100'",
        "UPDATE ZUSEDUNIT SET ZBIN = X'0201'", "UPDATE ZUSEDUNIT SET ZOBJ = X'010203'",
        "UPDATE ZUSEDUNIT SET ZUID = X'01'",
        "UPDATE ZUSEDUNIT SET Z_PK = Z_PK + 1000 WHERE Z_PK = \(key)", "UPDATE ZUSEDUNIT SET ZFLAG = 7",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'UsedUnit'",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 'x'", "UPDATE ZUSEDUNIT SET ZCOLOR = 9", "UPDATE ZUSEDUNIT SET ZBUDDY = Z_PK",
        "UPDATE ZUSEDTAG SET Z_FOK_PLANNED = 'x'", "DELETE FROM ATRANSACTION", "DROP TABLE ZCITY",
      ]))
  }
}
