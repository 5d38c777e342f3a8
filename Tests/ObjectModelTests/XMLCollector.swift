import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Flattens an XML text to one line an element, attributes sorted; a second parser as judge of the first.
final class XMLCollector: NSObject, XMLParserDelegate {
  private(set) var lines: [String] = []
  private var level = 0

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
    attributes attributeDict: [String: String]
  ) {
    let attributes = attributeDict.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    lines.append(String(repeating: " ", count: level) + elementName + " " + attributes.joined(separator: " "))
    level += 1
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
  ) {
    level -= 1
  }
}
