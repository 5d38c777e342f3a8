import MergewalkDiagnostics
import Testing

@Suite("Redaction")
struct RedactionTests {
  private func redaction(_ secrets: String...) -> Redaction {
    var redaction = Redaction()
    for secret in secrets { redaction.add(secret) }
    return redaction
  }

  @Test(arguments: [
    ("no secret", "no secret"), ("a pa55word b", "a *** b"), ("pa55wordpa55word", "******"), ("pa55wor", "pa55wor"),
    ("éé pa55word", "éé ***"), ("", ""),
  ])
  func `a secret is replaced wherever it stands`(text: String, shown: String) {
    #expect(redaction("pa55word")(text) == shown)
  }

  @Test func `nothing is hidden when there is no secret`() {
    #expect(Redaction().isEmpty)
    #expect(Redaction()("text") == "text")
  }

  @Test func `the longer of two secrets is hidden whole`() {
    #expect(redaction("abcd", "abcdefgh")("x abcdefgh abcd") == "x *** ***")
    #expect(redaction("abcdefgh", "cdef")("abcdefgh") == "***")
  }

  @Test func `a start of twelve bytes gives a secret away, where a message was cut`() {
    let redaction = redaction("correct-horse-battery-staple")
    #expect(redaction("“correct-horse-ba…”") == "“***…”")
    #expect(redaction("correct-hors") == "***")
    #expect(redaction("correct") == "correct")
  }

  @Test func `a character is not cut in two`() {
    // é and è begin with the same byte.
    #expect(redaction("abcdefghijklé")("abcdefghijklè") == "***è")
  }

  @Test func `each line of a secret is one`() {
    let key = "-----BEGIN KEY-----\nMIIEvQIBADAN\r\nBgkqhkiG9w0B\n-----END KEY-----"
    #expect(redaction(key)("the line BgkqhkiG9w0B is bad") == "the line *** is bad")
    #expect(redaction(key)(key) == "***")
  }

  @Test func `short texts are not hidden`() {
    #expect(redaction("abc").isEmpty)
    #expect(!redaction("abcd").isEmpty)
  }

  @Test func `a finding is redacted in all its texts`() {
    let finding = Diagnostic(
      .error, code: "x", path: "/run/pa55word", position: .file, message: "no pa55word", hint: "use pa55word")
    #expect(redaction("pa55word")(finding).description == "/run/***: error: no ***; use *** [x]")
  }

  @Test func `redactions can be joined`() {
    var first = redaction("pa55word")
    first.add(redaction("s3cret", "pa55word"))
    #expect(first("pa55word s3cret") == "*** ***")
  }
}
