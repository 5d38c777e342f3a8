import CMergewalkScan

/// A log of the events that a C library reported, in words of eight bytes, in the order of its calls.
///
/// A log belongs to the side that writes it until it is handed over, and then to the side that reads it.
package final class EventLog {
  package private(set) var words: UnsafeMutablePointer<UInt64>
  /// How many there is room for.
  package private(set) var capacity: Int
  /// The words that were written, known when it is handed over.
  package internal(set) var count = 0
  /// The next word to read.
  package var position = 0

  private let usual: Int

  /// Makes an empty log.
  ///
  /// - Parameter usual: the words that it has room for; an event that takes more makes it larger until it is emptied.
  package init(usual: Int) {
    self.usual = max(8, usual)
    capacity = self.usual
    words = .allocate(capacity: capacity)
  }

  deinit { words.deallocate() }

  /// Makes room for so many words behind the first ones, which stay.
  func grow(keeping used: Int, for more: Int) {
    let larger = max(2 * capacity, used + more)
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
    new.update(from: words, count: used)
    words.deallocate()
    words = new
    capacity = larger
  }

  /// Takes over words that another log has.
  func fill(with source: UnsafePointer<UInt64>, count: Int) {
    if capacity < count { grow(keeping: 0, for: count) }
    cscan_copy_out(words, source, count * MemoryLayout<UInt64>.stride)
    self.count = count
  }

  /// Forgets everything.
  func clear() {
    count = 0
    position = 0
    if capacity > usual {
      words.deallocate()
      words = .allocate(capacity: usual)
      capacity = usual
    }
  }
}

/// Writes events to a log, and hands it over when it is full.
///
/// Advice for the next editor: it is part of what a C library's callbacks reach by a pointer; a word is a store and a
/// comparison.
@usableFromInline package struct EventWriter {
  /// The log that is being written.
  package private(set) var log: EventLog
  @usableFromInline var next: UnsafeMutablePointer<UInt64>
  @usableFromInline var end: UnsafeMutablePointer<UInt64>
  /// Where full logs go; nil while both sides are on one thread, when the log grows instead.
  private var link: ParserChannel?
  /// Whether the result is no longer wanted.
  package private(set) var isStopped = false

  /// Writes to a log, from its beginning on.
  package init(_ log: EventLog) {
    self.log = log
    next = log.words
    end = log.words + log.capacity
  }

  /// Hands logs over to another thread from now on.
  package mutating func attach(_ link: ParserChannel?) { self.link = link }

  /// Room for so many words, which the caller writes.
  @inlinable @inline(__always)
  package mutating func room(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    if end - next < count { makeRoom(count) }
    let place = next
    next += count
    return place
  }

  /// Writes a word, a number and so many bytes.
  package mutating func write(_ head: UInt64, _ bytes: UnsafeRawPointer?, _ count: Int) {
    let words = (count + 7) / 8
    // In one piece: what follows may be in another log.
    let place = room(2 + words)
    place[0] = head
    place[1] = UInt64(count)
    if let bytes { UnsafeMutableRawPointer(place + 2).copyMemory(from: bytes, byteCount: count) }
  }

  /// Hands over what was written, if that is anything.
  package mutating func flush() {
    if next > log.words { handOver() }
  }

  /// Says how much was written, for a reader on the same thread.
  package mutating func close() { log.count = next - log.words }

  /// Starts anew, when a reader on the same thread has read everything.
  package mutating func restart() {
    log.clear()
    next = log.words
    end = log.words + log.capacity
  }

  @inline(never) @usableFromInline
  mutating func makeRoom(_ count: Int) {
    if link != nil, next > log.words { handOver() }
    let used = next - log.words
    if log.capacity - used < count { log.grow(keeping: used, for: count) }
    next = log.words + used
    end = log.words + log.capacity
  }

  private mutating func handOver() {
    let count = next - log.words
    if !isStopped, let link {
      // The log that is written stays on this processor: those of the other side would have to come back for each word.
      if let empty = link.takeEmptyLog() {
        empty.fill(with: log.words, count: count)
        link.post(empty)
      } else {
        isStopped = true
      }
    }
    log.clear()
    next = log.words
    end = log.words + log.capacity
  }
}
