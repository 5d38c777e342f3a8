import MergewalkTestSupport
import Testing

/// The programs in `Examples`, built with the tests and run.
@Suite("Examples")
struct ExampleTests {
  @Test("the server answers many clients at a time, refuses what is wrong, and loses nothing")
  func issueServer() throws {
    let program = Command.built("IssueServer")
    let folder = TemporaryFolder()
    let run = try Command.shell("\(program) \(folder.file("issues.sqlite"))", in: folder.path)
    #expect(run.status == 0, "\(run.words)")
    #expect(
      run.lines == [
        #"[{"key":"WEB"}]"#, #"[{"key":"API"}]"#,
        #"[{"number":4,"title":"Issue 4"},{"number":8,"title":"Issue 8"},{"number":12,"title":"Issue 12"}]"#,
        #"[{"number":4,"project":{"name":"Project API"},"state":"done","title":"Issue 4"}]"#,
        #"[{"count":5,"project":"API","state":"done"},{"count":15,"project":"API","state":"open"},"#
          + #"{"count":5,"project":"WEB","state":"done"},{"count":15,"project":"WEB","state":"open"}]"#,
        #"refused: notFound("issue WEB-99")"#, #"refused: invalid("an issue has a title")"#, "streamed: 40",
      ])
  }
}
