import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The plugin that the compiler runs to expand the macros of MergewalkMacros.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ManagedClassMacro.self, ManagedPropertyMacro.self, AccessorsMacro.self, MarkerMacro.self,
  ]
}
