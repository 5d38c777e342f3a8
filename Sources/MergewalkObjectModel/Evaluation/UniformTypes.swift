/// Uniform type identifiers, as far as `UTI-EQUALS` and `UTI-CONFORMS-TO` ask for them.
///
/// A type conforms to itself and to the types above it in the table of types that systems declare; others conform to
/// themselves only. Letters are compared without case, those of ASCII.
/// Source: Apple, [System-Declared Uniform Type Identifiers](https://developer.apple.com/library/archive/documentation/Miscellaneous/Reference/UTIRef/Articles/System-DeclaredUniformTypeIdentifiers.html).
package enum UniformTypes {
  /// Whether two identifiers name the same type.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    left.withBytes { first in right.withBytes { TextComparison.areEqual(first, $0, .caseInsensitive) } }
  }

  /// Whether a type is another, or a kind of it.
  package static func conforms(_ type: String, to other: String) -> Bool {
    if areEqual(type, other) { return true }
    // The table has no circles.
    return (parents[type.lowercased()] ?? []).contains { conforms($0, to: other) }
  }

  /// For each type the types that it is a kind of.
  private static let parents: [String: [String]] = [
    "public.data": ["public.item"], "public.directory": ["public.item"], "public.folder": ["public.directory"],
    "public.volume": ["public.folder"], "com.apple.package": ["public.directory"],
    "com.apple.bundle": ["public.directory"], "com.apple.application": ["public.executable"],
    "public.executable": ["public.data"], "public.symlink": ["public.item"],
    "public.composite-content": ["public.content"],
    "public.text": ["public.data", "public.content"], "public.plain-text": ["public.text"],
    "public.utf8-plain-text": ["public.plain-text"], "public.utf16-plain-text": ["public.plain-text"],
    "public.rtf": ["public.text"], "public.html": ["public.text"], "public.xml": ["public.text"],
    "public.json": ["public.text"], "public.comma-separated-values-text": ["public.delimited-values-text"],
    "public.tab-separated-values-text": ["public.delimited-values-text"],
    "public.delimited-values-text": ["public.text"], "public.source-code": ["public.plain-text"],
    "public.script": ["public.source-code"], "public.shell-script": ["public.script"],
    "public.python-script": ["public.shell-script"], "public.ruby-script": ["public.shell-script"],
    "public.perl-script": ["public.shell-script"], "public.c-source": ["public.source-code"],
    "public.c-header": ["public.source-code"], "public.c-plus-plus-source": ["public.source-code"],
    "public.objective-c-source": ["public.source-code"], "public.swift-source": ["public.source-code"],
    "public.assembly-source": ["public.source-code"], "com.netscape.javascript-source": ["public.source-code"],
    "public.image": ["public.data", "public.content"], "public.jpeg": ["public.image"], "public.png": ["public.image"],
    "public.tiff": ["public.image"], "public.heic": ["public.image"], "public.svg-image": ["public.image"],
    "public.jpeg-2000": ["public.image"], "com.compuserve.gif": ["public.image"], "com.microsoft.bmp": ["public.image"],
    "com.microsoft.ico": ["public.image"], "com.apple.icns": ["public.image"], "com.apple.pict": ["public.image"],
    "public.camera-raw-image": ["public.image"], "public.audiovisual-content": ["public.data", "public.content"],
    "public.movie": ["public.audiovisual-content"], "public.video": ["public.movie"],
    "public.audio": ["public.audiovisual-content"], "public.mpeg": ["public.movie"], "public.mpeg-4": ["public.movie"],
    "com.apple.quicktime-movie": ["public.movie"], "public.avi": ["public.movie"], "public.mp3": ["public.audio"],
    "public.mpeg-4-audio": ["public.audio"], "com.apple.m4a-audio": ["public.audio"],
    "com.microsoft.waveform-audio": ["public.audio"], "public.aiff-audio": ["public.audio"],
    "public.midi-audio": ["public.audio"], "com.adobe.pdf": ["public.data", "public.composite-content"],
    "com.adobe.postscript": ["public.image"], "public.archive": ["public.data"],
    "public.zip-archive": ["public.archive"], "com.pkware.zip-archive": ["public.zip-archive"],
    "org.gnu.gnu-zip-archive": ["public.archive"], "public.tar-archive": ["public.archive"],
    "public.disk-image": ["public.archive"], "public.font": ["public.data"],
    "public.truetype-font": ["public.font"], "public.opentype-font": ["public.font"],
    "public.contact": ["public.content"], "public.vcard": ["public.text", "public.contact"],
    "public.calendar-event": ["public.content"], "public.message": ["public.content"],
    "public.email-message": ["public.message"], "public.database": ["public.content"],
    "public.spreadsheet": ["public.content"], "public.presentation": ["public.composite-content"],
    "public.url": ["public.data"], "public.file-url": ["public.url"],
    "com.apple.property-list": ["public.data"],
    "com.apple.xml-property-list": ["public.xml", "com.apple.property-list"],
    "com.apple.binary-property-list": ["com.apple.property-list"],
  ]
}
