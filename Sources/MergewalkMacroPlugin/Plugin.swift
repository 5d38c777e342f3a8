import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler runs to expand the macros of MergewalkMacros.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ManagedClassMacro.self, ManagedPropertyMacro.self, AccessorsMacro.self, MarkerMacro.self,
  ]
}
