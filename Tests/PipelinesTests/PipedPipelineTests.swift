import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("Pipelines from pipes")
struct PipedPipelineTests {
  @Test("who is told of a run is not looked for in a pipe, which was read when the run began")
  func notifications() {
    let folder = TemporaryFolder()
    // Its writer stays: whoever reads it again waits for more.
    let pipe = NamedPipe(folder.file("p.yaml"))
    pipe.write("notify: { on: failure, command: [\"true\"] }\n")
    let list = withExtendedLifetime(pipe) { Pipeline.notifications(pipe.path).list }
    #expect(list.isEmpty)
  }
}
