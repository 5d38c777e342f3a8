import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import Testing

/// The row AP33 of the requirements: fetches in portions, with progress and cancellation.
@Suite struct AsyncFetchTests {
  @Test("AP33: portions come with progress, one SELECT each, and memory stays flat")
  func ap33Portions() async throws {
    let place = try Firm.place(employees: 1000, customers: 0)
    let context = place.context
    let store = try #require(place.coordinator.store)
    let before = store.statementsExecuted
    var names: [String] = []
    var progress: [Int] = []
    var greatest = 0
    let request = FetchRequest("Employee", sortedBy: [ObjectSortDescriptor("salary")])
    for try await portion in context.asyncFetch(request, portion: 300) {
      #expect(portion.total == 1000)
      progress.append(portion.completed)
      names += portion.objects.names()
      greatest = max(greatest, context.allBuffers.map { $0.count }.max() ?? 0)
    }
    #expect(progress == [300, 600, 900, 1000])
    #expect(names == (0..<1000).map { "e\($0)" })
    #expect(store.statementsExecuted - before == 1 + 4)
    #expect(greatest <= 900)
  }

  @Test("AP33: nothing to fetch gives no portion")
  func ap33Nothing() async throws {
    let place = try Firm.place(employees: 0, customers: 0)
    for try await _ in place.context.asyncFetch(FetchRequest("Employee")) { Issue.record("a portion of nothing") }
  }

  @Test("AP33: a cancelled task gets no further portion")
  func ap33CancelledBetweenPortions() async throws {
    let task = Task {
      let place = try Firm.place(employees: 100, customers: 0)
      var portions = 0
      do {
        for try await _ in place.context.asyncFetch(FetchRequest("Employee"), portion: 10) {
          portions += 1
          if portions == 2 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      } catch {
        return (portions, (error as? ObjectError)?.code)
      }
      return (portions, ObjectError.Code?.none)
    }
    let (portions, code) = try await task.value
    #expect(portions == 2)
    #expect(code == .cancelled)
  }

  @Test("AP33: cancelling stops a SELECT that would run for very long")
  func ap33CancelledSelect() async throws {
    let task = Task {
      let place = try Firm.place(employees: 2000, customers: 0)
      // Looks at four million pairs for each of the objects: it would take hours.
      let predicate = try ObjectPredicate(
        format: "SUBQUERY(department.members, $x, SUBQUERY($x.department.members, $y, "
          + "SUBQUERY($y.department.members, $z, $z.salary < 0).@count > 0).@count > 0).@count > 0")
      // The task is cancelled when the statement has begun.
      let store = try #require(place.coordinator.store)
      store.connection.trace { sql in
        if sql.hasPrefix("SELECT") { withUnsafeCurrentTask { $0?.cancel() } }
      }
      var code: ObjectError.Code?
      do {
        for try await _ in place.context.asyncFetch(FetchRequest("Employee", where: predicate)) {}
      } catch {
        code = (error as? ObjectError)?.code
      }
      store.connection.trace(nil)
      // The context is as usable as before.
      return (code: code, count: try place.context.count(for: FetchRequest("Employee")))
    }
    let result = try await task.value
    #expect(result.code == .cancelled)
    #expect(result.count == 2000)
  }

  @Test("AP33: errors of the request come with the first portion")
  func ap33Errors() async throws {
    let place = try Firm.place(employees: 1, customers: 0)
    let sequence = place.context.asyncFetch(FetchRequest("Nobody"))
    var iterator = sequence.makeAsyncIterator()
    do {
      _ = try await iterator.next()
      Issue.record("an entity that is not there was fetched")
    } catch {
      #expect(error.code == .unknownEntity)
    }
  }

  @Test("AP33: the number of objects of a request is asked for without fetching them")
  func ap33Count() async throws {
    let place = try Firm.place()
    var selects: [String] = []
    let request = FetchRequest("Employee", where: try ObjectPredicate(format: "favoriteColor == 'Green'"))
    selects = try place.selects { () throws in
      let count = try place.context.count(for: request)
      #expect(count == 3)
    }
    #expect(
      selects == ["SELECT count(*) FROM ZPERSON AS t0 WHERE t0.Z_ENT = 9 AND t0.ZFAVORITECOLOR = 'Green'"])
  }
}
