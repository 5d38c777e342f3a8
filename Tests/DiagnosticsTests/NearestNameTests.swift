import MergewalkDiagnostics
import Testing

@Suite("Nearest names") struct NearestNameTests {
  @Test(
    "a name is meant when at most a third of the longer one's letters differ, and at least one may",
    arguments: [
      // One letter of one, of two, of three.
      ("a", "b", true), ("ab", "ax", true), ("abc", "axc", true), ("abc", "axy", false),
      // Five letters allow one, six two.
      ("abcde", "abcdx", true), ("abcde", "abcxy", false), ("abcdef", "abcdxy", true), ("abcdef", "abcxyz", false),
      // Nine allow three; the longer one counts, on either side.
      ("abcdefghi", "abcdefxyz", true), ("abcdefghi", "abcdewxyz", false), ("abcdefghi", "abcdef", true),
      ("abcdef", "abcdefghi", true), ("abcdefgh", "abcde", false),
      // Letters are compared without case; neighbours that changed places are one edit.
      ("QUANTITY", "quantity", true), ("ab", "ba", true), ("price", "pirce", true),
      // White space around names cannot be seen.
      ("n", "  n\u{A0}", true), ("\u{FEFF}id", "id", true), ("ab", "a b", true), ("ab", "a  b", false),
    ])
  func bound(name: String, candidate: String, isMeant: Bool) {
    #expect(NearestName.find(name, in: [candidate]) == (isMeant ? candidate : nil))
  }

  @Test("the nearest one is taken, and of equally near ones the first")
  func nearest() {
    #expect(NearestName.find("colour", in: ["colours", "colour", "color"]) == "colour")
    #expect(NearestName.find("abcd", in: ["abcx", "abcy"]) == "abcx")
    #expect(NearestName.find("s", in: ["n", " s "]) == " s ")
    #expect(NearestName.find("abcdef", in: ["abcdxy", "abcdex"]) == "abcdex")
    #expect(NearestName.find("name", in: []) == nil)
  }

  @Test("of many candidates, a list has those that are most like the name, and says how many it leaves out")
  func list() {
    let others = (10..<40).map { "zzzzzz\($0)zzzzzz" }
    let likely = ["customer_contact_email", "mail"]
    let hint = NearestName.hint(for: "email_address_of_customer", among: others + likely)
    #expect(hint?.contains(", mail and 20 others") == true, "\(hint ?? "")")
    #expect(NearestName.hint(for: "e-mail-address", among: others + ["mail"])?.contains(", mail and 19 others") == true)
    let thirteen = Array(others.prefix(13))
    #expect(NearestName.hint(for: "xy", among: thirteen)?.hasSuffix(" and 1 other") == true)
    #expect(NearestName.hint(for: "xy", among: Array(others.prefix(12)))?.contains("other") == false)
  }
}
