"""The kernel in which answers are run and tested: IPython's, with tests of its own.

isolation.py starts it and sends it cells, whose last line says what they are: given, answer
or test, after a word that answers do not know. Answers run in IPython as usual. Tests run
without it, so that no answer can change or skip them, and with names of their own: those of
Python, of the given cells and of earlier tests are as they were, whatever answers have done
to them, and so are the functions of torch. Where a test calls an answer, the result must be
an ordinary object, not one that equals everything. All of this makes cheating laborious;
what makes it harmless is that nothing worth reading or writing is in the kernel's reach.
"""

import ast
import builtins
import importlib
import json
import linecache
import signal
import symtable
import sys
import traceback
import types
from ast import parse  # at the beginning, before an answer can replace it
from pathlib import Path

import matplotlib_inline.backend_inline
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp

RESTORED = "builtins math numpy numpy.testing torch torch.nn torch.nn.functional d2lmini"
PARTS = "__code__", "__defaults__", "__kwdefaults__", "__doc__", "__dict__"
OPERATORS = """
eq ne lt le gt ge bool float int index abs neg pos add radd sub rsub mul rmul truediv
rtruediv pow rpow mod matmul rmatmul torch_function array array_ufunc class getattribute
instancecheck
"""


class Kernel(IPythonKernel):
    """IPython's kernel, except for cells that are marked as tests."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        file = Path(self.parent.abs_connection_file).with_name("secret.json")
        self.seconds, self.secret = json.loads(file.read_text()).values()
        file.unlink()
        self.given, self.modules, self.streams = {}, [], None
        # A page shows images, but no SVG, which can hold a script.
        matplotlib_inline.backend_inline.set_matplotlib_formats = lambda *_, **__: None
        for name in RESTORED.split():
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue
            self.modules.append((module, dict(vars(module))))
            if name == "torch":
                self.modules.append((module.Tensor, dict(vars(module.Tensor))))

    async def do_execute(self, code, silent, store_history=True, *args, **kwargs):
        code, _, what = code.rpartition(f"\n#{self.secret} ")
        kind, _, word = what.partition(" ")
        self.streams = self.streams or (sys.stdout, sys.stderr)
        self.shell.ast_transformers.clear()
        self.shell.input_transformers_post.clear()
        with Limit(self.seconds):
            if kind == "test":
                try:
                    self.run_test(code)
                except BaseException as error:  # SystemExit and KeyboardInterrupt, too
                    return self.reply("error", "error", describe(error))
                return self.reply("ok", "stream", {"name": "stdout", "text": word})
            reply = await super().do_execute(code, silent, store_history, *args, **kwargs)
        if kind == "given":
            self.keep({name: self.shell.user_ns[name] for name in self.bound(code)})
        return reply

    def keep(self, names):
        """Remember names for later tests."""
        self.given.update({name: (value, inside(value)) for name, value in names.items()})

    def bound(self, code):
        """The names that a cell has bound at its top level."""
        code = self.shell.transform_cell(code)
        try:
            symbols = symtable.symtable(code, "<given>", "exec").get_symbols()
        except SyntaxError:
            return []
        names = [s.get_name() for s in symbols if s.is_assigned() or s.is_imported()]
        return [name for name in names if name in self.shell.user_ns]

    def put_back(self):
        """Undo what answers did to the functions that tests use."""
        sys.stdout, sys.stderr = self.streams
        for owner, saved in self.modules:
            for name, value in saved.items():
                if vars(owner).get(name) is not value:
                    setattr(owner, name, value)
            if isinstance(owner, type):
                for name in vars(owner).keys() - saved.keys():
                    delattr(owner, name)

    def names_of_a_test(self):
        """What a test sees: the notebook's names, and given ones as they were given."""
        answers = self.shell.user_ns.items()
        names = {name: x for name, x in answers if not hasattr(builtins, name)}
        names |= {"__name__": "__main__", "__builtins__": builtins}
        for name, (value, parts) in self.given.items():
            if parts:
                value = types.FunctionType(
                    parts["__code__"], names, name, closure=value.__closure__
                )
                for attribute, part in parts.items():
                    setattr(value, attribute, part)
            names[name] = value
        return names

    def run_test(self, code):
        """Run a test without IPython; raises what it raises."""
        self.put_back()
        names, file = self.names_of_a_test(), "this test"
        before = dict(names)
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        try:
            tree = ast.fix_missing_locations(Ordinary().visit(parse(code)))
            names["_ordinary"] = lambda value: ordinary(value, self.shell.user_ns)
            exec(compile(tree, file, "exec"), names)
        finally:
            sys.stdout.flush()
            new = {n: x for n, x in names.items() if before.get(n, names) is not x}
            self.keep(new)
            self.shell.user_ns.update(new)

    def reply(self, status, message, content):
        """Send the message that a cell's output consists of, and reply to its request."""
        self.send_response(self.iopub_socket, message, content)
        reply = {"status": status, "execution_count": self.execution_count, "payload": []}
        return {**reply, "user_expressions": {}, **(content if status == "error" else {})}


def describe(error):
    """An error as Jupyter's messages have it, without the lines of this file."""
    trace = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in trace.stack if frame.filename != __file__]
    trace.stack = traceback.StackSummary.from_list(frames)
    lines = "".join(trace.format()).splitlines()
    return {"ename": type(error).__name__, "evalue": str(error), "traceback": lines}


class Limit:
    """A limit of computing time, in seconds; 0 is none. Waiting does not count."""

    def __init__(self, seconds):
        self.seconds = seconds if hasattr(signal, "setitimer") else 0

    def __enter__(self):
        if self.seconds:
            signal.signal(signal.SIGPROF, self.stop)
            signal.setitimer(signal.ITIMER_PROF, self.seconds, 1)

    def __exit__(self, *_):
        if self.seconds:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def stop(self, *_):
        raise TimeoutError(f"stopped after {self.seconds:g} seconds of computing")


class Ordinary(ast.NodeTransformer):
    """Passes what a test calls, or reads from an object, through ordinary()."""

    def generic_visit(self, node):
        super().generic_visit(node)
        read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if isinstance(node, ast.Call | ast.Attribute) and read:
            return ast.Call(ast.Name("_ordinary", ast.Load()), [node], [])
        return node


def ordinary(value, names, depth=2):
    """The value, unless its class, defined in these names, redefines an operator."""
    if (value == object()) is True:
        raise AssertionError("expected an ordinary object, not one that equals everything")
    for base in type(value).__mro__[:-1]:
        for name in OPERATORS.split():
            method = vars(base).get(f"__{name}__")
            if getattr(method, "__globals__", None) is names:
                kind = f"{type(value).__name__}, which redefines __{name}__"
                raise AssertionError(f"expected an ordinary object, not one of {kind}")
    if depth and type(value) in (list, tuple, set, dict):
        for part in value.values() if isinstance(value, dict) else value:
            ordinary(part, names, depth - 1)
    return value


def inside(value):
    """What makes a function of the notebook do what it does; nothing for other objects."""
    if not isinstance(value, types.FunctionType) or value.__module__ != "__main__":
        return {}
    return {name: getattr(value, name) for name in PARTS}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=Kernel)
