// The object layer's benchmark: changes through a context, as an application makes them.

#if canImport(Glibc)
  import Glibc
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 4, arguments[0] == "undo", let count = Int(arguments[2]), count > 0,
  arguments[3] == "with" || arguments[3] == "without"
else {
  print("usage: mergewalk-objects undo NEW-STORE.sqlite COUNT with|without")
  exit(64)
}

do {
  print(try undoBenchmark(store: arguments[1], count: count, undo: arguments[3] == "with"))
} catch {
  print("mergewalk-objects: \(error)")
  exit(2)
}
