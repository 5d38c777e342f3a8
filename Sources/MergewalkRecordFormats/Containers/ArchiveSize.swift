extension ByteSource {
  /// About so many times as large is what was compressed.
  private static let usualExpansion = 5
  /// More than this is not believed of a member of a zip archive, whose directory may say anything.
  private static let greatestExpansion = 4_096

  /// The estimated number of unpacked bytes: for tar and zip archives those of the members that are read, as their
  /// headers have them, else from the file's name and size; nil as for ``fileSize``.
  ///
  /// - Complexity: O(members) for an archive, else O(1).
  public var estimatedBytes: Int? {
    if case .piece(let piece) = kind { return piece.range.count }
    guard let fileSize else { return nil }
    let formats = container.formats ?? ContainerFormat.named(path)
    if formats == [.tar] || formats == [.zip], let bytes = memberBytes(formats[0], fileSize) { return bytes }
    return formats.isEmpty || formats == [.tar] ? fileSize : fileSize * Self.usualExpansion
  }

  /// About how many bytes the members that are read have unpacked; nil when the archive cannot be read, or has too many.
  private func memberBytes(_ format: ContainerFormat, _ fileSize: Int) -> Int? {
    guard let file = (try? openFile()) as? any RandomAccessStream else { return nil }
    let members: [(name: String, size: Int)]?
    if format == .zip {
      members = (try? ZipDirectory(file).entries())?.filter(\.isFile).map { (name: $0.name, size: $0.size) }
    } else {
      members = try? TarHeader.files(of: file)
    }
    let most = fileSize * Self.greatestExpansion
    return members?.reduce(0) { sum, member in
      let (name, patterns) = (member.name, container.members)
      let isRead =
        patterns.isEmpty ? !MemberPattern.isResourceFork(name) : !MemberPattern.chosen(name, by: patterns).isEmpty
      guard isRead else { return sum }
      let isPacked = container.formats == nil && !ContainerFormat.named(name).isEmpty
      return min(sum + min(member.size, most) * (isPacked ? Self.usualExpansion : 1), most)
    }
  }
}

extension TarHeader {
  /// So many headers are read at most.
  private static let mostHeaders = 10_000

  /// The files of an archive with the names and sizes of their headers alone, without longer ones that stand before
  /// these; nil when there is no header, or too many.
  fileprivate static func files(of file: any RandomAccessStream) throws(ReadError) -> [(name: String, size: Int)]? {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { block.deallocate() }
    var files: [(name: String, size: Int)] = []
    var (offset, headers) = (0, 0)
    while offset + size <= file.size {
      try file.read(at: offset, into: block)
      guard let header = TarHeader(UnsafeRawBufferPointer(block)) else { break }
      headers += 1
      if headers > mostHeaders { return nil }
      if header.kind == .file { files.append((TarArchive.displayed(header.name), header.byteCount)) }
      // Only the end of a file that was cut is nearer.
      if header.byteCount > file.size { break }
      offset += size + (header.byteCount + size - 1) / size * size
    }
    return headers == 0 ? nil : files
  }
}
