/// Which methods of ``ManagedObject`` a class overrides.
///
/// Swift does not say, so the method tables are compared: where the class has another function than ``ManagedObject``, it
/// overrides. Which entries are which is found by classes here that override just those. Where the comparison does not come
/// out as expected, a class counts as overriding everything, which costs time and nothing else.
///
/// Source: [type metadata](https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst#class-metadata).
struct ClassHooks: OptionSet {
  private(set) var rawValue: UInt8
  /// `willAccessValue` or `didAccessValue`.
  static let access = ClassHooks(rawValue: 1)
  /// `willChangeValue` or `didChangeValue`.
  static let change = ClassHooks(rawValue: 2)
  /// Any other.
  static let lifeCycle = ClassHooks(rawValue: 4)
  static let all: ClassHooks = [.access, .change, .lifeCycle]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Finds the methods that a class overrides.
  init(of type: ManagedObject.Type) {
    self = []
    if type == ManagedObject.self { return }
    guard let places = Self.places else {
      self = .all
      return
    }
    let (base, words) = (MethodTable(ManagedObject.self), MethodTable(type))
    for place in places.methods where words[place] != base[place] {
      insert(places.access.contains(place) ? .access : places.change.contains(place) ? .change : .lifeCycle)
    }
  }

  /// Where the methods are in the tables; `nil` when that cannot be told.
  private static let places: (methods: [Int], access: Set<Int>, change: Set<Int>)? = {
    let (base, plain) = (MethodTable(ManagedObject.self), MethodTable(PlainProbe.self))
    guard let count = base.count, count > MethodTable.firstMethod, count < 1024, let other = plain.count, other >= count
    else { return nil }
    let methods = (MethodTable.firstMethod..<count).filter { plain[$0] == base[$0] }
    func overridden(_ type: ManagedObject.Type) -> Set<Int> {
      let table = MethodTable(type)
      return Set(methods.filter { table[$0] != base[$0] })
    }
    let (access, change) = (overridden(AccessProbe.self), overridden(ChangeProbe.self))
    guard access.count == 2, change.count == 2, access.isDisjoint(with: change) else { return nil }
    return (methods, access, change)
  }()
}

/// The words of a class's metadata.
private struct MethodTable {
  #if canImport(ObjectiveC)
    /// Unknown: classes are laid out in another way there.
    var count: Int? { nil }
  #else
    /// How many words there are: the size of the metadata, without what is before the place that a class is known by.
    var count: Int? {
      let size = start.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
      let before = start.loadUnaligned(fromByteOffset: 36, as: UInt32.self)
      return size > before ? Int(size - before) / MemoryLayout<UInt>.size : nil
    }
  #endif
  /// The word behind kind, superclass, sizes, description and destroyer.
  static let firstMethod = 7
  /// The metadata, which is there as long as the process.
  private let start: UnsafeRawPointer

  init(_ type: ManagedObject.Type) { start = unsafeBitCast(type, to: UnsafeRawPointer.self) }

  subscript(word: Int) -> UInt { start.load(fromByteOffset: word * MemoryLayout<UInt>.size, as: UInt.self) }
}

/// Overrides nothing.
private final class PlainProbe: ManagedObject {}

private final class AccessProbe: ManagedObject {
  override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
  override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
}

private final class ChangeProbe: ManagedObject {
  override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
  override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
}
