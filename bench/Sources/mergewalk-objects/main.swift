// The object layer's benchmark: changes through a context, as an application makes them.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
let isUndo = arguments.count == 4 && arguments[0] == "undo" && ["with", "without"].contains(arguments[3])
guard isUndo || arguments.count == 3 && arguments[0] == "objects", let count = Int(arguments[2]), count > 0 else {
  print("usage: mergewalk-objects undo NEW-STORE.sqlite COUNT with|without")
  print("       mergewalk-objects objects NEW-STORE.sqlite COUNT")
  exit(64)
}

do {
  if !isUndo {
    print(try objectsBenchmark(store: arguments[1], count: count))
    exit(0)
  }
  print(try undoBenchmark(store: arguments[1], count: count, undo: arguments[3] == "with"))
} catch {
  print("mergewalk-objects: \(error)")
  exit(2)
}
