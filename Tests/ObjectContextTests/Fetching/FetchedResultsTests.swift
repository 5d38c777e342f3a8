import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The row AP34 of the requirements: results with sections and differences.
@Suite struct FetchedResultsTests {
  private func results(_ place: Workplace) throws -> FetchedResults {
    let request = FetchRequest(
      "Employee", sortedBy: [ObjectSortDescriptor("favoriteColor"), ObjectSortDescriptor("salary")])
    return try FetchedResults(request, in: place.context, sectionKeyPath: "favoriteColor")
  }

  @Test("AP34: sections have the values of a key path")
  func ap34Sections() throws {
    let place = try Firm.place()
    let results = try results(place)
    #expect(results.sections.map(\.value) == [.string("Blue"), .string("Green")])
    #expect(results.sections.map(\.range) == [0..<9, 9..<12])
    #expect(try results[.init(section: 1, item: 1)].value(forKey: "name") == .string("e4"))
    let unordered = FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")])
    #expect(
      predicateErrorCode {
        _ = try FetchedResults(unordered, in: place.context, sectionKeyPath: "favoriteColor")
      } == .invalidRequest)
    #expect(try FetchedResults(unordered, in: place.context).sections.map(\.range) == [0..<12])
    let same = try FetchedResults(results.request, in: place.context, sectionKeyPath: "SELF.favoriteColor")
    #expect(same.sections == results.sections)
  }

  @Test("AP34: what comes, goes, moves and changes is told after a save")
  func ap34Changes() throws {
    let place = try Firm.place()
    let context = place.context
    let results = try results(place)
    var heard: [FetchedResults.Changes] = []
    results.onChange = { change in if case .success(let changes) = change { heard.append(changes) } }
    let objects = Dictionary(uniqueKeysWithValues: results.objects.map { object in ([object].names()[0], object) })
    let e1 = try #require(objects["e1"])
    let e2 = try #require(objects["e2"])
    let e4 = try #require(objects["e4"])
    try e1.setValue(.string("Green"), forKey: "favoriteColor")
    try e2.setValue(.string("another name"), forKey: "name")
    try context.delete(e4)
    let new = try context.insert("Employee")
    try new.setValue(.string("Red"), forKey: "favoriteColor")
    let (id1, id2, id4) = (e1.objectID, e2.objectID, e4.objectID)
    try context.save()
    #expect(heard.count == 1)
    let changes = try #require(heard.first)
    #expect(changes.insertedSections == [2] && changes.deletedSections == [])
    #expect(changes.inserted == [.init(objectID: new.objectID, from: nil, to: .init(section: 2, item: 0))])
    #expect(changes.deleted == [.init(objectID: id4, from: .init(section: 1, item: 1), to: nil)])
    #expect(
      changes.moved == [.init(objectID: id1, from: .init(section: 0, item: 0), to: .init(section: 1, item: 1))])
    #expect(Set(changes.updated.map(\.objectID)) == [id1, id2])
    try context.save()
    #expect(heard.count == 1, "a save without changes is no news")
  }

  @Test("AP34: what another context saved is seen at the next look, and a rollback is news too")
  func ap34OtherContexts() throws {
    let place = try Firm.place()
    let results = try results(place)
    let other = place.anotherContext()
    let object = try #require(try other.fetch("Employee", where: ["name": .string("e3")]).first)
    try object.setValue(.integer(99), forKey: "age")
    try other.save()
    let changes = try results.update()
    #expect(changes.updated.map(\.objectID) == [object.objectID])
    #expect(try results.update().isEmpty)
    var heard = 0
    results.onChange = { _ in heard += 1 }
    try results.objects[0].setValue(.double(-1), forKey: "salary")
    let isSame = try results.update().isEmpty
    #expect(!isSame)
    place.context.rollback()
    #expect(heard == 1)
  }

  @Test("AP34: differences lead from the old result to the new one, whatever happens", arguments: 0..<20)
  func ap34RandomDifferences(round: UInt64) throws {
    var random = SeededGenerator(seed: 7000 + round)
    let place = try Firm.place(employees: 30, customers: 0)
    let context = place.context
    let results = try results(place)
    for _ in 0..<5 {
      let old = Array(results.objects.objectIDs)
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let live = results.objects.filter { $0.isValid && !$0.isDeleted }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let new = try context.insert("Employee")
          try new.setValue(.double(Double.random(in: 0...30_000, using: &random)), forKey: "salary")
          try new.setValue(
            .string(["Blue", "Green", "Red"].randomElement(using: &random) ?? ""), forKey: "favoriteColor")
        case 1: if let object = live.randomElement(using: &random) { try context.delete(object) }
        case 2:
          try live.randomElement(using: &random)?
            .setValue(.double(Double.random(in: 0...30_000, using: &random)), forKey: "salary")
        default:
          try live.randomElement(using: &random)?
            .setValue(.string(["Blue", "Green", "Red"].randomElement(using: &random) ?? ""), forKey: "favoriteColor")
        }
      }
      let changes = try results.update()
      let new = Array(results.objects.objectIDs)
      let gone = Set(changes.deleted.map(\.objectID) + changes.moved.map(\.objectID))
      let come = Set(changes.inserted.map(\.objectID) + changes.moved.map(\.objectID))
      #expect(old.filter { !gone.contains($0) } == new.filter { !come.contains($0) }, "seed \(7000 + round)")
      for change in changes.inserted + changes.moved {
        let to = try #require(change.to)
        #expect(results[to].objectID == change.objectID)
      }
    }
  }
}
