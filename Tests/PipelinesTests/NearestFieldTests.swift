import MergewalkDiagnostics
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// A misspelt field of any component is one finding with the name that was meant.
@Suite("Misspelt fields")
struct NearestFieldTests {
  /// How components are reached from a file's own, as flow YAML with a place for the component.
  private static func ways(_ registry: ComponentRegistry) -> [String: (before: String, after: String)] {
    var ways: [String: (before: String, after: String)] = [registry.components[0].name: ("", "")]
    var queue = [registry.components[0]]
    while !queue.isEmpty {
      let component = queue.removeFirst()
      guard let way = ways[component.name] else { continue }
      for field in component.fields {
        let (name, open, close): (String, String, String)
        switch field.kind {
        case .component(let target): (name, open, close) = (target, "", "")
        case .components(let target): (name, open, close) = (target, "[", "]")
        case .steps(let target): (name, open, close) = (target, "[", "]")
        case .named(let target), .names(let target): (name, open, close) = (target, "{a: ", "}")
        default: continue
        }
        guard ways[name] == nil, let target = registry.components.first(where: { $0.name == name }) else { continue }
        ways[name] = (way.before + "{\"\(field.name)\": " + open, close + "}" + way.after)
        queue.append(target)
      }
    }
    return ways
  }

  @Test("of pipelines", arguments: ComponentRegistry.standard.components)
  func pipelines(_ component: ComponentSpec) throws {
    // Manifests are files of their own.
    guard let way = Self.ways(.standard)[component.name] else {
      #expect(component.name == "manifest")
      return
    }
    let folder = TemporaryFolder()
    for field in component.fields {
      let path = try folder.write(way.before + "{\"\(field.name)x\": 1}" + way.after, to: "p.yaml")
      let findings = Pipeline.lint(path).filter { $0.code == "unknownField" }
      #expect(findings.count == 1, "\(component.name).\(field.name): \(findings)")
      #expect(findings.first?.hint == "did you mean “\(field.name)”?", "\(component.name): \(findings)")
      #expect(findings.first?.position.column == way.before.utf8.count + 2)
    }
  }

  @Test("of files with tests", arguments: ComponentRegistry.tests.components)
  func tests(_ component: ComponentSpec) throws {
    let way = try #require(Self.ways(.tests)[component.name])
    let folder = TemporaryFolder()
    for field in component.fields {
      let path = try folder.write(way.before + "{\"\(field.name)x\": 1}" + way.after, to: "p_test.yaml")
      let findings = PipelineTests.lint(path).filter { $0.code == "unknownField" }
      #expect(findings.count == 1, "\(component.name).\(field.name): \(findings)")
      #expect(findings.first?.hint == "did you mean “\(field.name)”?", "\(component.name): \(findings)")
    }
  }
}
