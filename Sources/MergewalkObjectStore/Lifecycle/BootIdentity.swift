/// Shows whether the machine has stopped between two moments.
package enum BootIdentity {
  /// The system's name for the time since its last start; `nil` when it does not tell.
  ///
  /// What a process has written is there for all others as long as the machine runs, whether or not it is on the disk.
  /// Source: `proc_sys_kernel(5)`, `random/boot_id`.
  package static var current: String? {
    guard let text = FileSystem.head("/proc/sys/kernel/random/boot_id", count: 64) else { return nil }
    let id = String(decoding: text.filter { $0 > 32 }, as: UTF8.self)
    return id.isEmpty ? nil : id
  }
}
