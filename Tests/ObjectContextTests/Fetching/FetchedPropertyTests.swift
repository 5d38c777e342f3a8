import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// The rows FP1 to FP16 of the requirements: fetched properties.
@Suite final class FetchedPropertyTests {
  /// Kept to the end of the test, as observers and results go with the reference to it.
  private var places: [Workplace] = []

  /// A firm with a searcher for Cambridge.
  private func place(_ term: String = "Cambridge") throws -> (place: Workplace, searcher: ManagedObject) {
    let place = try Firm.place()
    places.append(place)
    let searcher = try place.context.insert("Searcher")
    try searcher.setValue(.string(term), forKey: "searchTerm")
    try place.context.save()
    return (place, searcher)
  }

  private let cambridge = ["e0", "e11", "e2", "e3", "e5", "e6", "e8", "e9"]

  @Test("FP1: a fetched property has no column and no table")
  func fp1NothingStored() throws {
    let (place, _) = try place()
    let columns = try place.rows("SELECT name FROM pragma_table_info('ZSEARCHER')")
    #expect(columns == ["Z_PK", "Z_ENT", "Z_OPT", "ZLEAST", "ZSEARCHTERM"])
    #expect(try place.rows("SELECT name FROM sqlite_master WHERE name LIKE '%RECENT%' OR name LIKE '%GREENS%'").isEmpty)
  }

  @Test("FP2: the value is an ordered list")
  func fp2OrderedList() throws {
    let (_, searcher) = try place()
    let found = try searcher.fetchedObjects(forKey: "greens")
    #expect(Array(found).names() == ["e0", "e4", "e8"])
    #expect(found[1] === found[1])
  }

  @Test("FP3: sort descriptors order it: the newest first")
  func fp3SortDescriptors() throws {
    let (_, searcher) = try place()
    #expect(try searcher.fetchedObjects(forKey: "recentHires").names().prefix(2) == ["e11", "e10"])
  }

  @Test("FP4: nothing is asked before the first use, which takes one SELECT")
  func fp4Lazy() throws {
    let (place, searcher) = try place()
    let id = searcher.objectID
    place.context.reset()
    var object: ManagedObject?
    var selects = try place.selects { () throws in
      object = try place.context.existingObject(with: id)
      _ = try object?.value(forKey: "searchTerm")
    }
    #expect(selects.count == 1 && !selects.contains { $0.contains("ZPERSON") })
    selects = try place.selects { () throws in
      let value = try object?.fetchedObjects(forKey: "matches").count
      #expect(value == 8)
    }
    #expect(selects.count == 1)
  }

  @Test("FP5: the result is kept")
  func fp5Kept() throws {
    let (place, searcher) = try place()
    let first = try searcher.fetchedObjects(forKey: "matches")
    let selects = try place.selects { () throws in
      let second = try searcher.fetchedObjects(forKey: "matches")
      #expect(Array(second) == Array(first))
    }
    #expect(selects.isEmpty)
  }

  @Test("FP6: later changes do not alter what was kept")
  func fp6NotDynamic() throws {
    let (place, searcher) = try place()
    #expect(try searcher.fetchedObjects(forKey: "greens").count == 3)
    let new = try place.context.insert("Employee")
    try new.setValue(.string("Green"), forKey: "favoriteColor")
    #expect(try searcher.fetchedObjects(forKey: "greens").count == 3)
    try place.context.save()
    #expect(try searcher.fetchedObjects(forKey: "greens").count == 3)
  }

  @Test("FP7: a refresh of the source forgets it, and the request runs again", arguments: [true, false])
  func fp7Refresh(mergingChanges: Bool) throws {
    let (place, searcher) = try place()
    #expect(try searcher.fetchedObjects(forKey: "greens").count == 3)
    let new = try place.context.insert("Employee")
    try new.setValue(.string("a new one"), forKey: "name")
    try new.setValue(.string("Green"), forKey: "favoriteColor")
    try place.context.save()
    try place.context.refresh(searcher, mergingChanges: mergingChanges)
    let selects = try place.selects { () throws in
      let found = try searcher.fetchedObjects(forKey: "greens").names()
      #expect(found == ["a new one", "e0", "e4", "e8"])
    }
    #expect(selects.filter { $0.contains("ZPERSON") }.count == 1)
  }

  @Test("FP8: $FETCH_SOURCE is the source, and key paths lead on from it")
  func fp8FetchSource() throws {
    let (_, searcher) = try place("camBRIDGE")
    #expect(try searcher.fetchedObjects(forKey: "matches").names() == cambridge)
  }

  @Test("FP9: another value of the source counts at the next evaluation")
  func fp9ChangedSource() throws {
    let (place, searcher) = try place()
    #expect(try searcher.fetchedObjects(forKey: "matches").names() == cambridge)
    try searcher.setValue(.string("Durham"), forKey: "searchTerm")
    #expect(try searcher.fetchedObjects(forKey: "matches").names() == cambridge)
    try place.context.refresh(searcher, mergingChanges: true)
    #expect(try searcher.fetchedObjects(forKey: "matches").names() == ["e1", "e10", "e4", "e7"])
  }

  @Test("FP10: $FETCHED_PROPERTY is the description, with its user info by key path")
  func fp10FetchedProperty() throws {
    let (_, searcher) = try place()
    #expect(try searcher.fetchedObjects(forKey: "greens").names() == ["e0", "e4", "e8"])
  }

  @Test("FP11: both variables in one predicate")
  func fp11BothVariables() throws {
    let (_, searcher) = try place()
    #expect(try searcher.fetchedObjects(forKey: "greenMatches").names() == ["e0", "e8"])
  }

  @Test("FP12: a value can change neither operator nor structure")
  func fp12ValuesOnly() throws {
    for text in ["TRUEPREDICATE", "x' OR '1' == '1", "%@", "name", "$FETCH_SOURCE"] {
      let (place, searcher) = try place(text)
      #expect(try searcher.fetchedObjects(forKey: "literal").isEmpty)
      let match = try place.context.insert("Employee")
      try match.setValue(.string(text), forKey: "name")
      try place.context.refresh(searcher, mergingChanges: true)
      #expect(Array(try searcher.fetchedObjects(forKey: "literal")) == [match])
    }
    let (_, searcher) = try place()
    #expect(predicateErrorCode { _ = try searcher.fetchedObjects(forKey: "unbound") } == .missingVariable)
    #expect(objectErrorCode { _ = try searcher.fetchedObjects(forKey: "searchTerm") } == .unknownKey)
  }

  @Test("FP13: the SQLite store does it in SQL, with the values as parameters")
  func fp13InSQL() throws {
    let (place, searcher) = try place()
    let selects = try place.selects { _ = try searcher.fetchedObjects(forKey: "greenMatches") }
    #expect(selects.count == 1)
    #expect(selects.first?.contains("'Green'") ?? false)
    #expect(selects.first?.contains("'Cambridge'") ?? false)
  }

  @Test("FP14: it is weak and leads one way")
  func fp14NoInverse() throws {
    let (place, searcher) = try place()
    let found = Array(try searcher.fetchedObjects(forKey: "greens"))
    try place.context.delete(searcher)
    try place.context.save()
    #expect(found.allSatisfy { $0.isValid && !$0.isDeleted && !$0.hasChanges })
    #expect(try place.context.count(for: FetchRequest("Employee")) == 12)
  }

  @Test("FP15: it relates objects across stores")
  func fp15AcrossStores() throws {
    let (_, searcher) = try place()
    let other = try Firm.place(employees: 5)
    let found = try searcher.fetchedObjects(forKey: "greenMatches", in: other.context)
    #expect(found.names() == ["e0"])
    #expect(found.first?.context === other.context)
  }

  @Test("FP16: values for the predicate may be in the user info; one that is not there is null")
  func fp16UserInfo() throws {
    var draft = try Firm.model().draft
    let index = try #require(draft.entities.firstIndex { $0.name == "Searcher" })
    for i in draft.entities[index].fetchedProperties.indices {
      draft.entities[index].fetchedProperties[i].userInfo = [:]
    }
    let place = try Workplace(try ManagedObjectModel(draft))
    places.append(place)
    for color in ["Green", nil] {
      let employee = try place.context.insert("Employee")
      if let color { try employee.setValue(.string(color), forKey: "favoriteColor") }
    }
    let searcher = try place.context.insert("Searcher")
    #expect(try searcher.fetchedObjects(forKey: "greens").map { try $0.value(forKey: "favoriteColor") } == [.null])
  }

  @Test("Predicates in memory see fetched properties")
  func inMemory() throws {
    let (_, searcher) = try place()
    let predicate = try ObjectPredicate(format: "greens.@count == 3 AND ANY greens.name == 'e4'")
    #expect(try [searcher].filtered(by: predicate).count == 1)
  }
}
