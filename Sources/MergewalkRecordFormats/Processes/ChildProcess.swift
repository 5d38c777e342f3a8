import CMergewalkProcess
import MergewalkSystem
import Synchronization

/// A program that runs beside this one and communicates by pipes; nothing goes through a shell.
///
/// It starts in a process group of its own, so that this program handles a Ctrl-C on the terminal, and so that it can
/// be ended together with its own child processes. No call blocks: the caller polls.
package final class ChildProcess {
  /// Why a program cannot be started.
  package struct StartError: Error {
    /// The operating system's message.
    package var message: String
  }

  package enum Ending: Equatable {
    /// By itself, with this code.
    case exit(Int32)
    case signal(Int32)

    package var description: String {
      switch self {
      case .exit(let code): "it ended with exit code \(code)"
      case .signal(let number): "it was ended by signal \(number) (\(String(cString: strsignal(number))))"
      }
    }
  }

  private var identifier: pid_t = 0
  private var input: Int32 = -1
  private var output: Int32 = -1
  private var errors: Int32 = -1
  private var ending: Ending?
  /// Whether the system may give the program's number to another.
  private let isReaped = Atomic<Bool>(false)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments; a name without a slash is looked for in `PATH`.
  ///   - folder: where it starts; nil for the current folder.
  package init(_ command: [String], folder: String?) throws(StartError) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var ends: [Int32] = Array(repeating: -1, count: 6)
    for pipe in 0..<3 {
      var (readEnd, writeEnd): (Int32, Int32) = (-1, -1)
      guard cprocess_pipe(&readEnd, &writeEnd) == 0 else {
        let message = String(cString: strerror(errno))
        for end in ends where end >= 0 { close(end) }
        throw StartError(message: "there is no pipe: \(message)")
      }
      ends[2 * pipe] = readEnd
      ends[2 * pipe + 1] = writeEnd
    }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[3], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[5], 2)
    if let folder { _ = cprocess_spawn_in_folder(&actions, folder) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    let code = posix_spawnp(&identifier, command[0], &actions, &attributes, arguments, environ)
    for end in [ends[0], ends[3], ends[5]] { close(end) }
    guard code == 0 else {
      for end in [ends[1], ends[2], ends[4]] { close(end) }
      throw StartError(message: String(cString: strerror(code)))
    }
    (input, output, errors) = (ends[1], ends[2], ends[4])
    for end in [input, output, errors] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
  }

  deinit {
    kill()
    buffer.deallocate()
  }

  /// The operations that are possible without waiting.
  package struct Readiness {
    /// The program takes input, or has closed its side of the pipe.
    package var canWrite = false
    /// There is output, or its end.
    package var hasOutput = false
    /// There are messages, or their end.
    package var hasErrors = false

    package init(canWrite: Bool = false, hasOutput: Bool = false, hasErrors: Bool = false) {
      (self.canWrite, self.hasOutput, self.hasErrors) = (canWrite, hasOutput, hasErrors)
    }
  }

  /// Waits until something can be done, at most for some milliseconds.
  package func wait(forInput: Bool, milliseconds: Int32) -> Readiness {
    var polled = [
      pollfd(fd: forInput ? input : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
    ]
    guard Glibc.poll(&polled, 3, milliseconds) > 0 else { return Readiness() }
    return Readiness(
      canWrite: polled[0].revents != 0, hasOutput: polled[1].revents != 0, hasErrors: polled[2].revents != 0)
  }

  /// Whether the program's output and messages have ended.
  package var isSilent: Bool { output < 0 && errors < 0 }
  /// Whether the program's output has ended.
  package var hasEndedOutput: Bool { output < 0 }
  /// Whether the program still takes input.
  package var takesInput: Bool { input >= 0 }

  /// Hands over as much as the pipe takes; 0 when it takes nothing now, or nothing any more.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard input >= 0, let base = bytes.baseAddress, bytes.count > 0 else { return 0 }
    let written = Self.withoutPipeSignal { Glibc.write(input, base, bytes.count) }
    if written < 0, errno != EAGAIN, errno != EINTR { closeInput() }
    return max(0, written)
  }

  /// Tells the program that nothing more comes.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Appends what there is of the output, at most 64 KiB.
  package func readOutput(into bytes: inout [UInt8]) { read(&output, &bytes) }

  /// Appends what there is of the messages, at most 64 KiB.
  package func readErrors(into bytes: inout [UInt8]) { read(&errors, &bytes) }

  private func read(_ end: inout Int32, _ bytes: inout [UInt8]) {
    guard end >= 0 else { return }
    let got = Glibc.read(end, buffer.baseAddress, buffer.count)
    let failure = errno
    if got > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<got])) }
    if got == 0 || (got < 0 && failure != EAGAIN && failure != EINTR) {
      close(end)
      end = -1
    }
  }

  /// How the program has ended; nil while it runs.
  package func poll() -> Ending? {
    if let ending { return ending }
    var status: Int32 = 0
    guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
    isReaped.store(true, ordering: .sequentiallyConsistent)
    let signal = status & 0x7F
    ending = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    return ending
  }

  /// Tells the program and what it has started to end at once, from any thread; nothing is closed or waited for.
  package func interrupt() {
    if !isReaped.load(ordering: .sequentiallyConsistent) { Glibc.kill(-identifier, SIGKILL) }
  }

  /// Ends the program and what it has started, if it still runs, and closes the pipes.
  package func kill() {
    closeInput()
    for end in [output, errors] where end >= 0 { close(end) }
    (output, errors) = (-1, -1)
    guard identifier > 0, poll() == nil else { return }
    Glibc.kill(-identifier, SIGKILL)
    Glibc.kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    isReaped.store(true, ordering: .sequentiallyConsistent)
    ending = .signal(SIGKILL)
  }

  /// Writes to a pipe that may be closed at its other end, without the signal that this sends.
  ///
  /// A program that uses the library keeps its own way with the signal.
  private static func withoutPipeSignal(_ body: () -> Int) -> Int {
    var pipe = sigset_t()
    var before = sigset_t()
    var pending = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    let result = body()
    let failure = errno
    if result < 0, failure == EPIPE, !wasPending {
      #if canImport(Darwin)
        // It waits for this thread: the call returns at once.
        var number: Int32 = 0
        _ = sigwait(&pipe, &number)
      #else
        var now = timespec()
        while sigtimedwait(&pipe, nil, &now) < 0, errno == EINTR {}
      #endif
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = failure
    return result
  }
}
