import MergewalkDiagnostics
import MergewalkRecordFormats
import MergewalkThreads

/// Reads inputs one after the other and prepares their batches: the work of the reader's thread.
///
/// The receiver prepares the batches that it was waiting for.
struct InputReading: Sendable {
  let sources: [ByteSource]
  let format: RecordFormat
  let limit: BatchLimit
  let preparer: BatchPreparer
  /// Where an earlier process stopped, and how to tell whether the inputs still begin with the same records; `nil` when
  /// it does not matter how far they were read.
  var tracking: InputTracking?
  /// Where the records of each source stood in their own file; nothing when they still do.
  var spool: [SpooledSource] = []
  /// What there is to find about the inputs, and who takes it; `nil` if another reading tells it.
  var findings = InputFindings()
  var notes: SourceNotes?
  /// Whether the receiver wants to know what was skipped behind the last record of an input, from a batch without
  /// records.
  var sendsRest = false

  /// Fills batches until the inputs end or the channel is cancelled.
  func run(_ channel: BatchChannel) {
    do throws(ImportError) {
      var bytesBefore = 0
      var chain = tracking.map { InputChain(seed: $0.seed) }
      var left = tracking?.start.records ?? 0
      // Of batches that are not handed on.
      var passed = TextAccount()
      var findings = findings
      for (index, source) in sources.enumerated() {
        var reader: any RecordReader
        var relocation: SpoolRelocation?
        let kinds = spool.indices.contains(index) ? spool[index].kinds : nil
        try preparer.transforms?.begin(source, format: format, kinds: kinds)
        do {
          reader = try format.reader(
            source: source, columns: .named(preparer.columnNames), index: index)
          if spool.indices.contains(index) { relocation = try SpoolRelocation(spool[index], path: source.path) }
        } catch {
          throw ImportError(error)
        }
        while true {
          // The receiver wants no more: the other sources are not opened.
          guard var batch = channel.takeEmpty() else { return channel.finish() }
          let isMore: Bool
          var limit = limit
          if left > 0 { limit.records = min(limit.records, left) }
          let before = ImportSession.now()
          do {
            isMore = try reader.read(into: &batch.records, limit: limit)
            let found = notes == nil ? [] : findings.warnings(batch.records, header: reader.header, of: source)
            for warning in found { notes?.add(warning) }
            if isMore { try relocation?.apply(&batch.records) } else { try relocation?.finish() }
          } catch {
            channel.recycle(batch)
            throw ImportError(error)
          }
          guard isMore else {
            // What was passed over behind the last record has no record to go with.
            passed += batch.records.account
            guard sendsRest else {
              channel.recycle(batch)
              break
            }
            batch.records.account = passed
            passed.removeAll()
            batch.bytesRead = bytesBefore + reader.bytesRead
            batch.isPrepared = true
            batch.wasImported = false
            batch.position = chain?.position(source: index) ?? batch.position
            channel.send(batch)
            break
          }
          batch.bytesRead = bytesBefore + reader.bytesRead
          batch.isPrepared = false
          batch.wasImported = left > 0
          if chain != nil {
            chain?.add(batch.records)
            batch.position = chain?.position(source: index) ?? batch.position
            left = max(0, left - batch.records.recordCount - batch.records.errors.count)
            if let tracking, batch.wasImported, left == 0 { try tracking.check(batch.position, source.path) }
            if batch.wasImported, tracking?.isRebuilding == false {
              passed += batch.records.account
              batch.header = reader.header
              do {
                try preparer.transforms?.passOver(&batch)
              } catch {
                channel.recycle(batch)
                throw error
              }
              // For the columns and namespaces of its file alone.
              batch.isPrepared = true
              channel.send(batch)
              continue
            }
          }
          batch.records.account += passed
          passed.removeAll()
          batch.header = reader.header
          batch.readSeconds = ImportSession.now() - before
          // Where reading is what takes longest, the writer waits, and converts: the work is split by itself.
          if preparer.isOrdered || !channel.isReceiverIdle {
            do {
              try prepare(&batch)
            } catch {
              channel.recycle(batch)
              throw error
            }
          }
          channel.send(batch)
        }
        bytesBefore += reader.bytesRead
      }
      if left > 0, let tracking { throw tracking.tooShort(by: left) }
      for warning in findings.neverMatched { notes?.add(warning) }
      try preparer.transforms?.finish()
      channel.finish()
    } catch {
      channel.finish(error)
    }
  }

  /// Takes the next batch, prepared here if its sender left that to the receiver; nil at the end.
  ///
  /// - Throws: what ``BatchChannel/receive()`` throws.
  ///
  /// - Parameter shouldStop: Is asked now and then while there is nothing to receive; `nil` is returned when it says
  ///   so.
  func receive(
    from channel: BatchChannel, unless shouldStop: (() -> Bool)? = nil
  ) throws(ImportError) -> ImportBatch? {
    guard var batch = try channel.receive(unless: shouldStop) else { return nil }
    if !batch.isPrepared { try prepare(&batch) }
    return batch
  }

  private func prepare(_ batch: inout ImportBatch) throws(ImportError) {
    let before = ImportSession.now()
    try preparer.transform(&batch)
    batch.convertSeconds = ImportSession.now() - before
  }

  /// Whether the inputs are so short that all of their batches may be there at once, and a thread would cost more than
  /// it gains: pieces of a file, which cannot keep a reader waiting.
  private var isShort: Bool {
    sources.allSatisfy(\.isPiece) && ImportSession.estimatedBytes(sources) <= Self.shortBytes
  }

  private static let shortBytes = 256 << 10

  /// A channel for what is read, and the thread that fills it; none where the inputs were so short that
  /// they were read at once.
  func begin(_ plan: ImportPlan) -> (channel: BatchChannel, thread: Worker?) {
    if isShort {
      let channel = BatchChannel(batches: []) { ImportBatch(plan: plan) }
      run(channel)
      return (channel, nil)
    }
    let channel = BatchChannel(batches: (0..<3).map { _ in ImportBatch(plan: plan) })
    return (channel, start(channel))
  }

  /// Starts ``run(_:)`` on a thread of its own.
  ///
  /// A plain thread, not a task: it blocks in `read(2)` and on the channel, which the cooperative pool must not. When the
  /// system has none to give, the channel ends with an error.
  private func start(_ channel: BatchChannel) -> Worker? {
    let worker = Worker(stack: Self.stack) { run(channel) }
    if worker == nil {
      channel.finish(
        ImportError(
          code: .cannotRead,
          message: "the system has no thread left to read the input with; end other processes or raise their limit"
            + " (ulimit -u, or -v for the memory of its stack), and run again"))
    }
    return worker
  }

  /// The bytes of the reader's stack: parsers of formats that nest recurse as deep as their limits say.
  private static let stack = 4 << 20
}

/// How an input's records are followed: to know where a run stands in it, and to go on there.
struct InputTracking: Sendable {
  /// The seed of the hash of the records.
  var seed: UInt64
  /// Where to go on; the records before it are skipped.
  var start = InputPosition()
  /// Whether what is skipped is prepared too, because something has to be rebuilt from it.
  var isRebuilding = false
  /// Whether what is skipped has to be what was imported.
  var isCompared = true

  /// Compares what was skipped with what was imported.
  func check(_ position: InputPosition, _ path: String) throws(ImportError) {
    if !isCompared || position == start { return }
    throw ImportError(
      code: .inputChanged,
      message:
        "the unfinished run cannot resume: what stands up to this place in \(path), "
        + "\(PrintableText.count(start.records, "record")), is not what was imported;"
        + " discard the run and start over with --restart")
  }

  /// The error for inputs that end before the place where to go on.
  func tooShort(by records: Int) -> ImportError {
    ImportError(
      code: .inputShorter,
      message: "the unfinished run cannot resume: \(PrintableText.count(start.records, "record")) "
        + "\(start.records == 1 ? "was" : "were") imported, and the input has only"
        + " \(start.records - records) now; discard the run and start over with --restart")
  }
}
