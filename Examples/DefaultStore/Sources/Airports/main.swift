import Foundation

// The plugin has made the store out of Data/airports.pipeline.yaml.
guard let store = Bundle.module.url(forResource: "airports", withExtension: "sqlite") else {
  print("there is no airports.sqlite among the resources")
  exit(1)
}
let size = try FileManager.default.attributesOfItem(atPath: store.path)[.size] as? Int ?? 0
print("\(store.lastPathComponent): \(size) bytes")
