/// Where the keys of a node are looked for.
///
/// New and changed rows may wait for the end of a run into an existing store if none of them is looked for in the store,
/// or so few records look that it costs little to write what waits each time.
enum KeySearch: Equatable {
  /// In memory, with what the run adds.
  case memory
  /// By a partitioned scan; whether it has a result for nearly every record, which is not known before the input is
  /// read: there is none for records whose keys repeat.
  case pieces(isDecided: Bool?)
  /// In the store, or nowhere.
  case store
}
