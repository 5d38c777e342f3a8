import Glibc
import RecordFormats

/// Reads inputs one after the other and prepares their batches: the work of the reader's thread.
///
/// The receiver prepares those that it was waiting for.
struct InputReading: Sendable {
  let sources: [ByteSource]
  let format: RecordFormat
  let limit: BatchLimit
  let preparer: BatchPreparer

  /// Fills batches until the inputs end or the channel is cancelled.
  func run(_ channel: BatchChannel) {
    do throws(ImportError) {
      var bytesBefore = 0
      for (index, source) in sources.enumerated() {
        var reader: any RecordReader
        do {
          reader = try format.reader(
            source: source, columns: .named(preparer.plan.columnNames), index: index)
        } catch {
          throw ImportError(error)
        }
        while true {
          // The receiver wants no more: the other sources are not opened.
          guard var batch = channel.takeEmpty() else { return channel.finish() }
          let isMore: Bool
          let before = ImportSession.now()
          do {
            isMore = try reader.read(into: &batch.records, limit: limit)
          } catch {
            channel.recycle(batch)
            throw ImportError(error)
          }
          guard isMore else {
            channel.recycle(batch)
            break
          }
          batch.bytesRead = bytesBefore + reader.bytesRead
          batch.isPrepared = false
          batch.header = reader.header
          batch.readSeconds = ImportSession.now() - before
          // Where reading is what takes longest, the writer waits, and converts: the work is split by itself.
          if !channel.isReceiverIdle { prepare(&batch) }
          channel.send(batch)
        }
        bytesBefore += reader.bytesRead
      }
      channel.finish()
    } catch {
      channel.finish(error)
    }
  }

  /// Takes the next batch, prepared here if its sender left that to the receiver; nil at the end.
  ///
  /// - Throws: what ``BatchChannel/receive()`` throws.
  func receive(from channel: BatchChannel) throws(ImportError) -> ImportBatch? {
    guard var batch = try channel.receive() else { return nil }
    if !batch.isPrepared { prepare(&batch) }
    return batch
  }

  private func prepare(_ batch: inout ImportBatch) {
    let before = ImportSession.now()
    preparer.prepare(&batch)
    batch.convertSeconds = ImportSession.now() - before
  }

  /// Starts ``run(_:)`` on a thread of its own.
  ///
  /// A plain thread, not a task: it blocks in `read(2)` and on the channel, which the cooperative pool must not.
  func start(_ channel: BatchChannel) -> InputThread { InputThread { run(channel) } }
}

/// A thread that runs one closure and is joined.
final class InputThread {
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    pthread_attr_setstacksize(attributes, 4 << 20)
    let code = pthread_create(
      &thread, attributes,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    precondition(code == 0, "the system refuses another thread: \(String(cString: strerror(code)))")
    pthread_attr_destroy(attributes)
  }

  /// Waits for the end of the closure.
  func join() { pthread_join(thread, nil) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
