/// 64-bit hashes of cells: of keys, to find them, and of contents, to see that nothing changed.
///
/// The function folds 128-bit products in the manner of Wang Yi's wyhash (public domain). Seeds are drawn anew for each
/// run, so that no input can be made to collide.
@usableFromInline package enum CellHash {
  @inlinable static var secret0: UInt64 { 0xA076_1D64_78BD_642F }
  @inlinable static var secret1: UInt64 { 0xE703_7ED1_A0B4_28DB }
  @inlinable static var secret2: UInt64 { 0x8EBC_6AF0_9C88_C6E3 }

  /// Folds the 128-bit product of two numbers.
  @inlinable @inline(__always)
  package static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Hashes one cell, chained to `seed`.
  ///
  /// Equal values have equal hashes whatever arena they are in; `absent` and `failed` hash as `null`.
  @inlinable @inline(__always)
  package static func cell(_ tag: UInt8, _ payload: UInt64, _ arena: UnsafeRawPointer, seed: UInt64) -> UInt64 {
    switch tag {
    case CellTag.text, CellTag.blob:
      let range = ByteRange(payload: payload)
      return bytes(arena + range.offset, range.length, seed: seed ^ secret2)
    case CellTag.integer: return mix(payload ^ secret0, seed ^ secret1)
    case CellTag.real: return mix(payload ^ secret1, seed ^ secret2)
    default: return mix(secret0, seed ^ secret0)
    }
  }

  @inlinable
  package static func bytes(_ start: UnsafeRawPointer, _ count: Int, seed startSeed: UInt64) -> UInt64 {
    var seed = startSeed ^ secret0
    var a: UInt64 = 0
    var b: UInt64 = 0
    if count <= 16 {
      if count >= 4 {
        let step = (count >> 3) << 2
        a = UInt64(load4(start)) << 32 | UInt64(load4(start + step))
        b = UInt64(load4(start + count - 4)) << 32 | UInt64(load4(start + count - 4 - step))
      } else if count > 0 {
        let first = UInt64(start.load(as: UInt8.self)) << 16
        let middle = UInt64(start.load(fromByteOffset: count >> 1, as: UInt8.self)) << 8
        a = first | middle | UInt64(start.load(fromByteOffset: count - 1, as: UInt8.self))
      }
    } else {
      var position = start
      var left = count
      while left > 16 {
        seed = mix(load8(position) ^ secret1, load8(position + 8) ^ seed)
        position += 16
        left -= 16
      }
      a = load8(start + count - 16)
      b = load8(start + count - 8)
    }
    return mix(secret1 ^ UInt64(truncatingIfNeeded: count), mix(a ^ secret1, b ^ seed))
  }

  @inlinable @inline(__always)
  static func load8(_ pointer: UnsafeRawPointer) -> UInt64 { pointer.loadUnaligned(as: UInt64.self) }

  @inlinable @inline(__always)
  static func load4(_ pointer: UnsafeRawPointer) -> UInt32 { pointer.loadUnaligned(as: UInt32.self) }

  /// A seed that no input can foresee.
  package static func randomSeed() -> UInt64 { UInt64.random(in: .min ... .max) }
}
