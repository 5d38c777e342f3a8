import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A use of a macro that does not work: what was found, what was expected, what to do.
struct Mistake: DiagnosticMessage {
  let message: String
  let code: String

  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  var diagnosticID: MessageID { MessageID(domain: "Mergewalk", id: code) }
  var severity: DiagnosticSeverity { .error }
}

/// The description of a fix.
struct Remedy: FixItMessage {
  let message: String
  init(_ message: String) { self.message = message }
  var fixItID: MessageID { MessageID(domain: "Mergewalk", id: message) }
}

/// The mistakes of one declaration, found before anything is written.
struct Mistakes {
  private(set) var all: [Diagnostic] = []

  mutating func add(_ node: some SyntaxProtocol, _ code: String, _ message: String, _ fixes: [FixIt] = []) {
    all.append(Diagnostic(node: node, message: Mistake(code, message), fixIts: fixes))
  }

  /// The name that a literal says; `nil` where it is none.
  mutating func name(_ expression: ExprSyntax) -> String? {
    guard let name = expression.stringValue else {
      if !expression.is(NilLiteralExprSyntax.self) {
        add(expression, "noLiteral", "write the name as a text: the macro has to read it")
      }
      return nil
    }
    let isName = name.unicodeScalars.enumerated().allSatisfy { place, scalar in
      scalar.properties.isAlphabetic || scalar == "_" || place > 0 && scalar.properties.numericType != nil
    }
    if name.isEmpty || !isName {
      add(
        expression, "noName",
        "“\(name)” is not a name for the model: a name has letters, digits and “_”, and no digit first")
    }
    return name
  }

  func show(in context: some MacroExpansionContext) { for mistake in all { context.diagnose(mistake) } }
}
