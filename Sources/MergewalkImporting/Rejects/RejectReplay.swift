import MergewalkDiagnostics
public import MergewalkRecordFormats

extension ImportDefinition {
  /// The import of the corrected records of a rejects file by the same pipeline.
  ///
  /// Records that fail again go to another rejects file; positions refer to the lines of the file that is read. Nothing
  /// is deleted: `sync` and `replace` become `upsert`. The limit on rejects applies, the ratio does not. Lines of
  /// imports that the pipeline does not have are rejected again; a line of another pipeline ends the run
  /// (`otherPipeline`).
  ///
  /// - Parameters:
  ///   - file: The rejects file.
  ///   - rejectsPath: The file for rejects; not the file that is read.
  public func replaying(_ file: ByteSource, rejectsPath: String) -> ImportDefinition {
    var result = self
    result.rejects.path = rejectsPath
    result.outputPlaces = [:]
    // A name of its own: what the store remembers of the pipeline's unfinished and finished runs is not touched.
    result.name = name + RejectLine.replayMark
    result.reporting.kind = .replay
    result.reporting.listedName = name
    // Those of the pipeline tell of its last own run.
    result.reporting.metricsPath = nil
    result.reporting.reportPath = nil
    result.policy.append = false
    // A share of the few records that are left says nothing.
    result.rejects.ratio = nil
    let names = Set(parts.map(\.name))
    // As it stands in the lines.
    let pipeline = redaction(name)
    result.parts = parts.enumerated().map { number, part in
      var replay = part
      // What the rejects file does not name is not missing, and where incremental reading stands is not asked.
      if part.root.mode.removesOthers {
        replay.root.mode = .upsert
        replay.root.sync = part.root.sync.withoutDeletion
        replay.root.places["sync"] = nil
      }
      replay.since = nil
      // There is no header to hold against the contract; columns that may be missing still are.
      replay.inputFindings = InputFindings()
      let mayLack = part.contract?.missingColumns.map { $0 == .evolve || $0 == .discard } ?? false
      replay.contract?.newColumns = nil
      replay.contract?.missingColumns = nil
      let format = part.format
      let name = parts.count > 1 ? part.name : nil
      replay.sources = [file]
      var records = CustomRecordFormat(
        identity: "replay:\(part.name)", readsObjects: format.readsObjects, hasElements: format.hasElements
      ) {
        (source, request, index) throws(ReadError) in
        guard case .named(let columns) = request else {
          throw ReadError(
            .invalidOption, path: source.path, message: "a replay reads the columns of its pipeline only")
        }
        return try ReplayReader(
          source: source, format: format, pipeline: pipeline, part: name, known: number == 0 ? names : nil,
          columns: columns, mayLackColumns: mayLack, index: index)
      }
      records.lineOptions = format.lineOptions
      replay.format = .custom(records)
      return replay
    }
    return result
  }
}
