import MergewalkBytes
import MergewalkSystem
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore

extension StoreFamily {
  /// Verifies everything once more and publishes the family: `_SUCCESS` exists if, and only if, it is complete.
  ///
  /// - Throws: `incomplete` while stores are missing or altered, `limitBreached` when too many records were rejected in
  ///   all; the family published earlier is unchanged.
  /// - Complexity: O(bytes of the stores).
  public func commit() throws(FamilyError) -> Committed {
    let identity = FamilyFiles.identity(files.plan)
    let first = try readPlan()
    let lock = try FamilyLock(files.planFolder + "/lock", seconds: 600)
    defer { withExtendedLifetime(lock) {} }
    // Whoever had the lock may have planned again.
    let plan = FamilyFiles.identity(files.plan) == identity ? first : try readPlan()
    guard plan.id == first.id else {
      throw FamilyError(.otherPlan, "the family has been planned again: run the tasks of the new plan")
    }
    _ = try load(plan)
    try checkSources(plan)
    var result = Committed(id: plan.id, stores: plan.parts.count)
    let (receipts, waiting) = try verify(plan)
    try checkLaw(plan, receipts, &result)
    if let breach = plan.limits.breach(read: result.read, rejected: result.rejected, codes: result.rejectCodes) {
      throw FamilyError(.limitBreached, breach.message + "; the family is as it was before")
    }
    try checkGone(plan, good: result.parts.read - result.parts.skipped - result.parts.rejected)
    result.bytes = receipts.reduce(0) { $0 + $1.files.reduce(0) { $0 + $1.bytes } }
    let attempt = try AttemptFolder(files)
    let manifest = manifestText(plan, receipts, result)
    defer { withExtendedLifetime(attempt) {} }
    let isSame = try FamilyFiles.read(files.success) == manifest && waiting.isEmpty
    let rejects = rejectFiles(plan, receipts)
    if !rejects.isEmpty { result.rejectsPath = files.allRejects }
    if isSame { try FamilyFiles.replace(files.allRejects, joining: rejects, through: attempt.path) }
    do throws(StoreError) {
      if !isSame {
        if FileSystem.exists(files.success) { try FileSystem.rename(files.success, to: files.previous) }
        for number in waiting {
          let path = plan.parts[number].path
          try makeParent(path)
          // A commit that died may have moved some of the files.
          if receipts[number].hasStore(in: files.folder, known: known) {
            try StoreMove.adopt(companionsOf: files.nextStore(path), by: files.store(path))
          } else {
            try StoreMove.move(files.nextStore(path), to: files.store(path))
          }
        }
        try FileSystem.syncAll(files.folder)
      }
      result.removed = try sweep(plan, receipts)
    } catch { throw FamilyError(error) }
    if !isSame {
      try FamilyFiles.replace(files.allRejects, joining: rejects, through: attempt.path)
      try FamilyFiles.replace(files.success, manifest, through: attempt.path)
    }
    unlink(files.previous)
    AttemptFolder.sweep(files)
    result.published = waiting.count
    return result
  }

  /// The files of rejects: that of the split, and those of the parts in the order of the plan.
  private func rejectFiles(_ plan: FamilyPlan, _ receipts: [StoreReceipt]) -> [String] {
    (plan.counts?.rejected ?? 0 > 0 ? [files.splitRejects] : [])
      + zip(plan.parts, receipts).compactMap { $1.rejects == nil ? nil : files.rejects($0.name) }
  }

  private func makeParent(_ path: String) throws(StoreError) {
    do throws(FamilyError) {
      try FamilyFiles.makeFolders(FileSystem.folder(of: files.store(path)))
    } catch { throw StoreError(.inputOutput, path: path, message: error.message) }
  }

  // MARK: Verifying

  /// The receipts of all parts, and the parts whose stores wait for their places.
  private func verify(_ plan: FamilyPlan) throws(FamilyError) -> (receipts: [StoreReceipt], waiting: [Int]) {
    var receipts: [StoreReceipt] = []
    var waiting: [Int] = []
    var missing: [String] = []
    for (number, part) in plan.parts.enumerated() {
      guard let bytes = try FamilyFiles.read(files.receipt(part.name)), let receipt = StoreReceipt(json: bytes),
        receipt.key == plan.key(part), receipt.path == part.path
      else {
        missing.append("“\(part.value)” has no receipt")
        continue
      }
      guard receipt.isOf(part, in: plan, files, known) else {
        missing.append("the rejects of “\(part.value)” do not match its receipt")
        continue
      }
      if !receipt.fits(in: files.folder, known: known) {
        guard receipt.fits(in: files.folder, files.next, known: known) else {
          missing.append("“\(part.value)” does not match its receipt")
          continue
        }
        waiting.append(number)
      }
      receipts.append(receipt)
    }
    guard missing.isEmpty else {
      let shown = missing.prefix(5).joined(separator: ", ") + (missing.count > 5 ? ", …" : "")
      throw FamilyError(
        .incomplete,
        "of \(PrintableText.count(plan.parts.count, "store")) \(missing.count) \(missing.count == 1 ? "is" : "are") not ready: \(shown); build them: mergewalk stores task"
          + " \(folder)"
      )
    }
    return (receipts, waiting)
  }

  /// Compares the sums with each other: what was read is what was stored, skipped and rejected.
  private func checkLaw(
    _ plan: FamilyPlan, _ receipts: [StoreReceipt], _ result: inout Committed
  ) throws(FamilyError) {
    var sum = RecordCounts()
    var sums = FamilySums()
    let split = plan.counts ?? Splitter.Counts()
    result.rejectCodes = split.codes
    for (part, receipt) in zip(plan.parts, receipts) {
      guard receipt.counts.isBalanced, receipt.shared.isBalanced,
        part.records.map({ $0 == receipt.counts.read }) ?? true
      else {
        throw FamilyError(
          .countsDiffer,
          "“\(part.value)”: \(part.records.map(String.init) ?? "its") records went in, and the receipt counts others:"
            + " \(receipt.counts.named.map { "\($0.1) \($0.0)" }.joined(separator: ", "))"
        )
      }
      sum = sum + receipt.counts
      for (code, count) in receipt.codes { result.rejectCodes[code, default: 0] += count }
      sums.add(receipt)
    }
    for field in sums.fields where !field.isBalanced {
      throw FamilyError(
        .countsDiffer,
        "the values of “\(field.entity).\(field.attribute)” do not add up: \(field.read) read, \(field.stored) stored,"
          + " \(field.replaced.values.reduce(0, +)) replaced, \(field.rejected) rejected")
    }
    for list in sums.lists where !list.isBalanced {
      throw FamilyError(
        .countsDiffer,
        "the elements of “\(list.entity).\(list.relationship)” do not add up: \(list.read) read, \(list.linked) linked,"
          + " \(list.alreadyLinked) linked already, \(list.skipped) skipped, \(list.rejected) rejected")
    }
    result.warnings = sums.warnings.filter { sums.isOfFamily($0.warning, of: $0.stores) }
    result.fields = sums.fields
    result.lists = sums.lists
    result.empty = sums.empty
    let isOurs = plan.parts.allSatisfy(\.files.isEmpty)
    if isOurs, split.read != sum.read + split.skipped + split.rejected {
      throw FamilyError(
        .countsDiffer,
        "the split has read \(split.read) records, and the stores \(sum.read), with \(split.skipped) skipped and "
          + "\(split.rejected) rejected")
    }
    if isOurs { result.split = (split.read, split.skipped, split.rejected) }
    result.parts = (sum.read, sum.skipped, sum.rejected)
    result.shared = receipts.reduce(0) { $0 + $1.shared.read }
    result.sharedRejected = receipts.reduce(0) { $0 + $1.shared.rejected }
    result.read = sum.read + split.skipped + split.rejected
    result.skipped = sum.skipped + split.skipped
    result.rejected = sum.rejected + split.rejected
    guard let expected = plan.expectedRecords, expected != result.read else { return }
    throw FamilyError(
      .inputChanged,
      "the folders have \(PrintableText.count(result.read, "record")), not \(PrintableText.grouped(expected)) as expected:"
        + " the program that writes them has not finished, or wrote something else; the family is unchanged")
  }

  // MARK: The manifest

  private func manifestText(_ plan: FamilyPlan, _ receipts: [StoreReceipt], _ result: Committed) -> [UInt8] {
    var out = JSONBytes()
    out.open(UInt8(ascii: "{"))
    out.members([
      "format": .integer(1), "plan": .string(plan.id), "pipeline": .string(plan.pipeline),
      "mergewalk": .string(plan.version), "read": .integer(result.read), "skipped": .integer(result.skipped),
      "rejected": .integer(result.rejected),
    ])
    out.list("stores", receipts.sorted { $0.path < $1.path }) { $0.manifest }
    out.close(UInt8(ascii: "}"))
    out.endLine()
    return out.bytes
  }

  /// Reads `_SUCCESS`; nil when there is none that can be read.
  func manifest() throws(FamilyError) -> (plan: String, stores: [StoreReceipt])? {
    for path in [files.success, files.previous] {
      guard let bytes = try FamilyFiles.read(path),
        let row = JSONRow(bytes), let plan = row.text("plan"),
        let stores = row.list("stores", { StoreReceipt($0) })
      else { continue }
      return (plan, stores)
    }
    return nil
  }

  // MARK: Sweeping

  /// Removes stores and receipts that are not of the plan, and the files beside stores that no receipt names; returns how
  /// many stores there were.
  private func sweep(_ plan: FamilyPlan, _ receipts: [StoreReceipt]) throws(StoreError) -> Int {
    for receipt in receipts {
      let named = Set(receipt.files.map(\.path))
      try StoreMove.removeCompanions(of: files.store(receipt.path)) {
        !named.contains(StoreReceipt.path($0, beside: receipt.path))
      }
    }
    var gone = Set(plan.former)
    let names = NamesInUse(plan.parts.map(\.name))
    let paths = NamesInUse(plan.parts.map(\.path))
    for file in FileSystem.names(in: files.receipts) {
      let path = files.receipts + "/" + file
      if file.hasSuffix(".rejects.ndjson") {
        if !names.contains(String(file.dropLast(15)), file: files.rejects) { try FileSystem.remove(path) }
        continue
      }
      guard file.hasSuffix(".json"), !names.contains(String(file.dropLast(5)), file: files.receipt) else { continue }
      if let bytes = (try? FamilyFiles.read(path)) ?? nil, let receipt = StoreReceipt(json: bytes) {
        gone.insert(receipt.path)
      }
      try FileSystem.remove(path)
    }
    if let manifest = (try? manifest()) ?? nil { gone.formUnion(manifest.stores.map(\.path)) }
    var removed = 0
    for path in gone.sorted() where Self.isInside(path) && !paths.contains(path, file: files.store) {
      if FileSystem.exists(files.store(path)) { removed += 1 }
      try StoreMove.remove(files.store(path))
      var folder = FileSystem.folder(of: path)
      while folder != "." {
        rmdir(files.store(folder))
        folder = FileSystem.folder(of: folder)
      }
    }
    try FileSystem.removeTree(files.next)
    return removed
  }

  /// Whether a path that was read from a file leads nowhere else than into the folder.
  private static func isInside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.hasPrefix("_")
      && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0 != ".." && $0 != "."
      }
  }
}
