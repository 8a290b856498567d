# A Python interpreter that forks. A child becomes what `python -c CODE ARGUMENT...` would be in a new process: what CODE does
# and imports is as fresh as there, what every such process does before is done already. It is forked before it is needed.
#
# Messages have four bytes of length and so many of text, whose parts a NUL separates. The standard input of the parent is a
# socket for
#   code CODE MODULE...     first of all: what to run, and modules to import beforehand; answered: made PATH..., see sources
#   fork                    answered: forked PID, with a socket for the child; or no REASON, as any other message can be
#   reap PID                answered: ended STATUS USER SYSTEM MEMORY, the times in microseconds
# and that of a child for
#   start FOLDER COUNT ARGUMENT... VARIABLE...   with four descriptors: the standard streams, and a pipe. The child answers
#                           started, and begins with the byte that it reads from the pipe; or it answers no REASON, and ends
import sys

sys.path[:] = [p for p in sys.path if p]  # nothing is imported from the current folder

import atexit, gc, io, json, os, site, types, _socket
import __main__

try:
    import ctypes
    libc = ctypes.CDLL(None)
    libc.prctl
except Exception:
    libc = None  # nothing but Linux has it


def receive(sock):
    """A message's parts and descriptors."""
    head, extra, _, _ = sock.recvmsg(4, _socket.CMSG_SPACE(4 * 4))
    fds = [int.from_bytes(data[i : i + 4], sys.byteorder) for _, _, data in extra for i in range(0, len(data) - 3, 4)]
    head += read(sock, 4 - len(head))
    return read(sock, int.from_bytes(head, "big")).split(b"\0"), fds


def read(sock, size):
    text = b""
    while len(text) < size:
        text += sock.recv(size - len(text)) or os._exit(0)  # nobody needs this process any more
    return text


def answer(sock, *parts, fds=()):
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogateescape")
    rights = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds)
    extra = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if fds else []
    sock.sendmsg([len(text).to_bytes(4, "big") + text], extra)


def front(environ):
    """The folders that PYTHONPATH puts in front of the import path."""
    paths = os.fsdecode(environ.get(b"PYTHONPATH", b"")).split(os.pathsep)
    return list(dict.fromkeys(p for p in paths if p))


def sources():
    """What this interpreter was made from. When that changes, a new one would be another one: folders show that something in
    them was replaced; what people edit in place is looked at itself."""
    found = {sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), *sys.path}
    found.add(getattr(site, "USER_SITE", None) or sys.prefix)
    for folder in sys.path:
        if folder.endswith("-packages"):
            try:
                found.update(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".pth"))
            except OSError:
                pass
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file:
            found.add(os.path.dirname(file))
            if os.path.dirname(os.__file__) + os.sep not in file or "customize" in file:
                found.add(file)
    return found


class Interpreter:
    def __init__(self, sock):
        self.sock, self.pid = sock, os.getpid()
        self.block = environ_block()
        self.own = {k: v for k, v in os.environb.items() if not k.startswith(b"RYE_")}
        parts, _ = receive(sock)
        _, self.text, *modules = [part.decode("utf-8", "surrogateescape") for part in parts]
        self.code = compile(self.text, "<string>", "exec")
        for name in modules:
            if name.partition(".")[0] in getattr(sys, "stdlib_module_names", ()):
                try:
                    __import__(name)
                except Exception:
                    pass  # the tool's own import will say why
        self.modules = set(sys.modules)
        self.names = {name.partition(".")[0] for name in sys.modules} | {"sitecustomize", "usercustomize"}
        made = sources()
        os.environ.clear()
        sys.path_importer_cache.clear()
        gc.collect()
        gc.freeze()  # so that a child's collections leave alone what it shares
        if threads() > 1:
            answer(sock, "no", "it has threads, which a fork would lose")
        else:
            answer(sock, "made", *made)

    def serve(self):
        """Forks. It returns in children only."""
        while True:
            parts, _ = receive(self.sock)
            if parts[0] == b"reap":
                _, status, usage = os.wait4(int(parts[1]), 0)
                times = [int(t * 1e6) for t in (usage.ru_utime, usage.ru_stime)]
                answer(self.sock, "ended", status, *times, usage.ru_maxrss)
                continue
            ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
            try:
                pid = os.fork()
            except OSError as error:
                answer(self.sock, "no", error)
                continue
            if pid == 0:
                theirs.close()
                self.sock.close()
                self.sock = ours
                return
            answer(self.sock, "forked", pid, fds=[theirs.fileno()])
            ours.close()
            theirs.close()

    def wait(self):
        """Makes a new process of the child, when it is told which."""
        os.setsid()
        if libc:
            libc.prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
        if os.getppid() != self.pid:
            os._exit(0)
        rehearse()
        parts, (*streams, gate) = receive(self.sock)
        try:
            folder, count, *rest = parts[1:]
            environ = dict(v.partition(b"=")[::2] for v in rest[int(count) :])
            check(environ, self.names)
            os.chdir(folder)
            for number, fd in enumerate(streams):
                os.dup2(fd, number)
                os.close(fd)
            for name, value in self.own.items():
                environ.setdefault(name, value)  # what the interpreter itself sets: the locale that it chose
            set_environment(environ)
            mark(self.block, environ)
            sys.argv[:] = ["-c", *map(os.fsdecode, rest[: int(count)])]
            if hasattr(sys, "orig_argv"):
                sys.orig_argv = [sys.orig_argv[0], "-c", self.text, *sys.argv[1:]]
            first = front(environ)
            sys.path[:] = first + [p for p in sys.path if p not in first]
            answer(self.sock, "started")
            self.sock.close()
        except BaseException as error:
            answer(self.sock, "no", error)
            os._exit(1)
        if not os.read(gate, 1):
            os._exit(1)  # it is started in another way, or not any more
        os.close(gate)

    def run(self):
        try:
            exec(self.code, __main__.__dict__)
        except SystemExit:
            raise
        except BaseException as error:
            hook, trace = sys.excepthook, error.__traceback__.tb_next  # this file has no part in it
            sys.excepthook = lambda kind, error, _: hook(kind, error.with_traceback(trace), trace)
            raise
        self.end()

    def end(self):
        """Ends as the interpreter would, up to where that takes itself apart, which lasts longer than most calls."""
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        try:
            atexit._run_exitfuncs()
        except BaseException:
            pass  # it has been printed
        status = 0 if flush(sys.stdout) & flush(sys.stderr) else 120
        for name in set(sys.modules) - self.modules:
            del sys.modules[name]
        __main__.__dict__.clear()
        for thing in gc.get_objects():
            if isinstance(thing, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
                flush(thing)  # before a collection that may close it from the other end
        gc.collect()
        flush(sys.stdout), flush(sys.stderr)
        os._exit(status)


def check(environ, names):
    """Finds what would make a new interpreter another one than this."""
    for folder in front(environ):
        if os.path.exists(folder) and not names.isdisjoint(name.partition(".")[0] for name in os.listdir(folder)):
            raise OSError(folder + " has a module that is imported already")


def threads():
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


def flush(file):
    """Reports whether all is written."""
    try:
        if file is not None and not file.closed:
            file.flush()
        return True
    except Exception:
        return False


def set_environment(environ):
    for name, value in environ.items():
        os.putenv(name, value)
    os.environ._data.update(environ)  # which os.environb shares; name by name through it takes longer than many calls


def rehearse():
    """Does a little of what a call does: what a child shares with its parent it gets of its own with the first use, which
    takes time."""
    set_environment({b"A%d" % n: b"x" * 64 for n in range(64)})
    os.environ.clear()
    sys.modules["tool"] = tool = types.ModuleType("tool")
    with open(os.devnull, "rb") as f:
        f.read()
    exec(compile(REHEARSAL, "", "exec"), tool.__dict__)
    json.loads(json.dumps(tool.execute({"b": 1}, None), default=str).encode().decode("utf-8", "surrogateescape"))
    del sys.modules["tool"], tool
    gc.get_objects()
    gc.collect()


REHEARSAL = """
import json, os, sys
class Thing:
    def __init__(self, *a, **k): self.a = a
def execute(p, _):
    try:
        return {'a': [1.5, *p, f"{p!r}"], 'b': sorted(os.environ), 'c': [str(x) for x in range(50)]}
    except OSError: pass
"""


def environ_block():
    """Where the kernel finds the environment that this process was started with."""
    try:
        with open("/proc/self/stat", "rb") as f:
            fields = f.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return int(fields[47]), int(fields[48])


def mark(block, environ):
    """Writes the run that the process belongs to where other processes can read it: see pkg/process, tag.go."""
    if block is None:
        return
    start, end = block
    text = b"RYE_RUN_ID=" + environ[b"RYE_RUN_ID"]
    if len(text) >= end - start:
        raise OSError("there is no room for the name of the run")
    memory = os.open("/proc/self/mem", os.O_WRONLY)
    os.pwrite(memory, text.ljust(end - start, b"\0"), start)
    os.close(memory)


del __main__.source, __main__.os
interpreter = Interpreter(_socket.socket(fileno=os.dup(0)))
interpreter.serve()
interpreter.wait()
interpreter.run()
