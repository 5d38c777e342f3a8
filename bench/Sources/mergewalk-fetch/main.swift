// The fetch benchmark's contestant: requests through a context, as an application makes them.

import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

guard CommandLine.arguments.count == 4, CommandLine.arguments[1] == "fetch",
  let repetitions = Int(CommandLine.arguments[3]), repetitions > 0
else {
  print("usage: mergewalk-fetch fetch STORE.sqlite REPETITIONS")
  exit(64)
}

do {
  print(try fetchBenchmark(store: CommandLine.arguments[2], repetitions: repetitions))
} catch {
  print("mergewalk-fetch: \(error)")
  exit(2)
}
