import Foundation
import MergewalkSystem
import Synchronization

/// A server on the loopback address that notes what is posted to it, for one test.
final class HTTPListener: Sendable {
  /// How it answers.
  enum Manner: Sendable {
    case status(Int)
    /// It reads the request and says nothing until it is stopped.
    case silence
  }

  private let socket: Int32
  let port: UInt16
  private let requests = Mutex<[String]>([])
  private let held = Mutex<[Int32]>([])

  /// The whole requests so far.
  var received: [String] { requests.withLock { $0 } }
  /// The bodies of the requests so far.
  var bodies: [String] {
    received.map { $0.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n") }
  }

  var url: String { "http://127.0.0.1:\(port)/hook/s3cr3t-path" }

  init(_ manner: Manner = .status(200)) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = socket
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        let request = Self.read(connection)
        requests.withLock { $0.append(request) }
        switch manner {
        case .silence: held.withLock { $0.append(connection) }
        case .status(let code):
          let answer = "HTTP/1.1 \(code) X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          _ = answer.withCString { Glibc.write(connection, $0, strlen($0)) }
          close(connection)
        }
      }
    }
  }

  /// Ends it; the thread ends with its socket.
  func stop() {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
    held.withLock { for connection in $0 { close(connection) } }
  }

  private static func read(_ connection: Int32) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let head = text.range(of: "\r\n\r\n") {
        let length =
          text[..<head.lowerBound].lowercased().components(separatedBy: "content-length: ").dropFirst().first
          .flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        if text[head.upperBound...].utf8.count >= length { return text }
      }
      let count = Glibc.read(connection, &chunk, chunk.count)
      guard count > 0 else { return text }
      bytes += chunk[..<count]
    }
  }
}
