import Foundation
import PackagePlugin

/// Builds default stores into the resources of a target.
///
/// Each file `NAME.pipeline.yaml` in a target's folder becomes a resource `NAME.sqlite`, made by `mergewalk seed`, whenever
/// something in the target's folder has changed. A pipeline with mistakes, and records that are rejected, fail the build.
@main
struct MergewalkDefaultStore: BuildToolPlugin {
  private static let ending = ".pipeline.yaml"

  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let files = Self.files(in: target.directoryURL)
    let pipelines = files.filter { $0.lastPathComponent.hasSuffix(Self.ending) }
    let tool = try context.tool(named: "mergewalk").url
    // Data and models are not known without reading the pipeline: all but the code is what the store is made from.
    let inputs = files.filter { $0.pathExtension != "swift" }
    return pipelines.map { pipeline in
      let name = String(pipeline.lastPathComponent.dropLast(Self.ending.count))
      let store = context.pluginWorkDirectoryURL.appendingPathComponent(name + ".sqlite")
      return .buildCommand(
        displayName: "Building the default store \(name).sqlite", executable: tool,
        arguments: ["seed", pipeline.path, "--store", store.path, "--identity", name, "--force", "--quiet"],
        inputFiles: inputs, outputFiles: [store])
    }
  }

  /// All files below a folder, sorted.
  private static func files(in folder: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    var files: [URL] = []
    while let url = found?.nextObject() as? URL {
      if (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true { files.append(url) }
    }
    return files.sorted { $0.path < $1.path }
  }
}
