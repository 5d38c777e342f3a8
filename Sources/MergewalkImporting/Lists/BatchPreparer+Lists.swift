import MergewalkObjectModel
import MergewalkRecordFormats

extension BatchPreparer {
  /// Makes batches of the elements of all lists, and refuses records whose lists cannot be taken whole.
  func prepareLists(_ batch: inout ImportBatch) {
    for index in plan.lists.indices {
      let list = plan.lists[index]
      // Taken out, so that it can be filled while the batch is read.
      var lists: [ListBatch] = []
      swap(&lists, &batch.lists)
      collect(list, index, &lists[index], &batch)
      var faults: [ListElements.Fault] = []
      lists[index].makeRecords(isSplit: list.separator != nil, &faults)
      BatchPreparer(plan: list.plan, seed: seed).prepare(&lists[index].batch)
      refuse(list, index, lists[index], faults, &batch)
      swap(&lists, &batch.lists)
    }
  }

  /// Makes a batch of the elements of records that are not imported, as far as they can be read; `nil` for none.
  func elements(of list: ImportList, _ index: Int, _ records: [Int], _ batch: ImportBatch) -> ListBatch? {
    guard var target = ListBatch(list) else { return nil }
    target.elements.start(&target.batch.records, source: batch.records.source)
    let wanted = Set(records)
    for record in 0..<batch.records.recordCount {
      let before = target.elements.count
      target.starts.append(Int32(truncatingIfNeeded: before))
      target.hasList.append(wanted.contains(record))
      guard wanted.contains(record) else { continue }
      if case .refused = collect(list, index, record, batch, &target) { target.drop(from: before, record) }
    }
    target.starts.append(Int32(truncatingIfNeeded: target.elements.count))
    guard target.elements.count > 0 else { return nil }
    var faults: [ListElements.Fault] = []
    target.makeRecords(isSplit: list.separator != nil, &faults)
    BatchPreparer(plan: list.plan, seed: seed).prepare(&target.batch)
    return target
  }

  private enum Found {
    case kept
    case list
    case refused(RejectCode, String, offset: Int)
  }

  /// Collects the elements of all records.
  private func collect(_ list: ImportList, _ index: Int, _ target: inout ListBatch, _ batch: inout ImportBatch) {
    target.elements.start(&target.batch.records, source: batch.records.source)
    target.starts.removeAll(keepingCapacity: true)
    target.hasList.removeAll(keepingCapacity: true)
    target.isJSON.removeAll(keepingCapacity: true)
    target.dropped.removeAll(keepingCapacity: true)
    for record in 0..<batch.records.recordCount {
      let before = target.elements.count
      target.starts.append(Int32(truncatingIfNeeded: before))
      let isBeforeCursor = record < batch.isBeforeCursor.count && batch.isBeforeCursor[record]
      let found = collect(list, index, record, batch, &target)
      // The elements of a record that is not imported are counted, and no more.
      guard !batch.hasFailed[record], !isBeforeCursor else {
        target.drop(from: before, record)
        target.hasList.append(false)
        continue
      }
      switch found {
      case .kept: target.hasList.append(false)
      case .list: target.hasList.append(true)
      case .refused(let code, let message, let offset):
        target.drop(from: before, record)
        target.hasList.append(false)
        refuse(record, code, list, index, element: nil, message: message, offset: offset, &batch)
      }
    }
    target.starts.append(Int32(truncatingIfNeeded: target.elements.count))
  }

  private func collect(
    _ list: ImportList, _ index: Int, _ record: Int, _ batch: ImportBatch, _ target: inout ListBatch
  ) -> Found {
    let state = batch.listState(record, index, list)
    if state == .absent { return .kept }
    let before = target.elements.count
    var isJSON = state == .json
    if state != .null {
      let fault: ListElements.Fault? = batch.withList(record, index, list) { text in
        if state == .text || state == .quoted {
          if text.isEmpty { return nil }
          if let separator = list.separator {
            target.elements.add(
              pieces: text, separator: separator, trims: list.options.trims, to: &target.batch.records)
            return nil
          }
          let first = text.first { $0 != 0x20 && ($0 < 0x09 || $0 > 0x0D) }
          isJSON = first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        }
        guard isJSON else {
          target.elements.add(value: text, to: &target.batch.records)
          // The members of what has none are not made up.
          let isElement = list.separator != nil || target.elements.takesScalars
          return isElement ? nil : .noObject
        }
        do throws(ListElements.Fault) {
          try target.elements.add(json: text, to: &target.batch.records)
          return nil
        } catch {
          return error
        }
      }
      if let fault {
        return .refused(
          RejectCode(fault.code), "it is not a JSON \(fault.code == .notAnObject ? "object" : "array")",
          offset: fault.offset)
      }
    }
    while target.isJSON.count < target.elements.count { target.isJSON.append(isJSON) }
    if let empty = target.elements.dropEmpty(
      from: before, isJSON: isJSON, in: target.batch.records,
      drops: list.options.whenElementEmpty == .skip)
    {
      return .refused(
        .valueEmpty, "element \(empty - before + 1) is empty", offset: target.elements.range(empty).lowerBound)
    }
    let dropped = target.isJSON.count - target.elements.count
    if dropped > 0 { target.dropped[Int32(truncatingIfNeeded: record)] = Int32(truncatingIfNeeded: dropped) }
    target.isJSON.removeLast(dropped)
    guard target.elements.count == before else { return .list }
    switch list.options.whenEmpty {
    case .clear: return .list
    case .keep: return .kept
    case .reject: return .refused(.valueEmpty, "it has no elements", offset: 0)
    }
  }

  // MARK: Refusing

  /// Refuses the records whose elements were refused.
  private func refuse(
    _ list: ImportList, _ index: Int, _ elements: ListBatch, _ faults: [ListElements.Fault], _ batch: inout ImportBatch
  ) {
    let records = elements.batch.records
    for fault in faults {
      guard let element = fault.element else { continue }
      refuse(
        elements.owner(element), RejectCode(fault.code), list, index,
        element: (elements.elements.number(element), nil, ""),
        message: fault.code == .notAnObject ? "it is not a JSON object" : "it is not an object that can be read",
        offset: fault.offset, &batch)
    }
    let bad = Set(faults.compactMap(\.element))
    for failure in elements.batch.failures where !bad.contains(Int(failure.record)) {
      let element = Int(failure.record)
      let field = Int(failure.field)
      let names = list.plan.fieldNames[field]
      refuse(
        elements.owner(element), failure.code, list, index,
        element: (elements.elements.number(element), names, ""),
        message: ListRejects.message(failure.code, element, field, list.plan, records),
        offset: elements.elements.range(element).lowerBound, &batch)
    }
    for refusal in elements.batch.refusals where !bad.contains(Int(refusal.record)) {
      let element = Int(refusal.record)
      let place = elements.elements.number(element)
      if let inner = refusal.element {
        refuse(
          elements.owner(element), refusal.code, list, index, element: (place, nil, inner.path), message: inner.message,
          offset: elements.elements.range(element).lowerBound, &batch)
      } else {
        let field = refusal.field.map(Int.init)
        refuse(
          elements.owner(element), refusal.code, list, index,
          element: (place, field.map { list.plan.fieldNames[$0] }, ""),
          message: field.map { ListRejects.message(refusal.code, element, $0, list.plan, records) } ?? refusal.detail,
          offset: elements.elements.range(element).lowerBound, &batch)
      }
    }
  }

  private func refuse(
    _ record: Int, _ code: RejectCode, _ list: ImportList, _ index: Int,
    element: (number: Int, names: ImportPlan.FieldName?, inner: String)?, message: String, offset: Int,
    _ batch: inout ImportBatch
  ) {
    batch.hasFailed[record] = true
    batch.refusals.append(
      ListRejects.reject(
        record, code, list, index, element: element?.number, names: element?.names, inner: element?.inner ?? "",
        message: message, offset: offset))
  }
}

/// Rejects of records because of an element of one of their lists.
enum ListRejects {
  /// The reject of a record.
  ///
  /// - Parameters:
  ///   - element: the element's number in its list, from 0; nil when it is the list as a whole.
  ///   - names: the field that is to blame.
  ///   - inner: the place within the element, when it is in a list of its own.
  static func reject(
    _ record: Int, _ code: RejectCode, _ list: ImportList, _ index: Int, element: Int?,
    names: ImportPlan.FieldName?, inner: String, message: String, offset: Int
  ) -> RecordReject {
    var path = list.columnName
    if let element { path += "[\(element + 1)]" }
    if !inner.isEmpty { path += "." + inner }
    if let names, names.column != "." { path += "." + names.column }
    let text = inner.isEmpty ? "\(path): \(message)" : message
    return RecordReject(
      record: Int32(truncatingIfNeeded: record), field: nil, code: code, detail: text,
      element: RejectedElement(
        list: index, path: path, entity: names?.entity ?? "", attribute: names?.attribute ?? list.description.name,
        message: inner.isEmpty ? text : "\(path): " + message.split(separator: ": ", maxSplits: 1).dropFirst().joined(),
        offset: offset))
  }

  /// The sentence about a field of an element.
  static func message(
    _ code: RejectCode, _ element: Int, _ field: Int, _ plan: ImportPlan, _ records: RecordBatch
  ) -> String {
    let column = plan.fieldColumns[field]
    let state = records.state(element, column)
    let entity = plan.fieldNames[field].entity
    if state == .absent || state == .null {
      return RejectMessage.text(code, value: nil, field: plan.fields[field], entity: entity)
    }
    return records.withField(element, column) {
      RejectMessage.text(code, value: $0, field: plan.fields[field], entity: entity)
    }
  }
}
