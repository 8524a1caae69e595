"""Run students' notebooks where they can do no harm, for nbgrader.

A course's settings (nbgrader_config.py) put Execute in the place of nbgrader's own. Its
kernel (grading_kernel.py) works in a temporary folder and, where bubblewrap is installed,
in Linux namespaces of its own: without a network, with no file but those of the programs
that it needs, which it cannot change. Neither the course's folder nor the user's is there.
"""

import functools
import json
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_output
from nbgrader import preprocessors, utils
from traitlets import Float

KERNEL = Path(__file__).resolve().with_name("grading_kernel.py")
CANARY = new_code_cell("assert False", metadata={"nbgrader": {"grade": True}})
SUSPICIOUS = re.compile(
    r"\b(get_ipython|ast_transformers|ipykernel|ctypes|gc|sqlite3|subprocess|socket|inspect"
    r"|linecache|traitlets|mock|pytest|threading|builtins|gradebook|_getframe|settrace"
    r"|setprofile|f_back|__code__|__eq__|__torch_function__)\b"
    r"|(?<![.\w])(eval|exec|open)\(|\b(torch)(?:\.\w+)+ *=[^=]"
)


@functools.cache
def isolated():
    """Whether this system lets us isolate a process: bubblewrap is installed and works."""
    test = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    if shutil.which("bwrap") is None:
        return False
    return subprocess.run(test, capture_output=True).returncode == 0


def sandbox(folder):
    """The beginning of a command, the rest of which sees this folder and can change it."""
    shown = [sys.prefix, sys.base_prefix, KERNEL, KERNEL.parent.parent / "d2lmini"]
    shown += ["/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/fonts"]
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    command += ["--unsetenv", "JPY_PARENT_PID"]  # which has another number inside
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", folder]
    for path in map(str, shown):
        command += ["--ro-bind-try", path, path]
    return [*command, "--bind", folder, folder]


class Manager(AsyncKernelManager):
    """Starts grading_kernel.py in a temporary folder, isolated if possible."""

    def __init__(self, seconds, secret, **kwargs):
        self.folder = tempfile.mkdtemp(prefix="grading-")
        file = Path(self.folder, "kernel.json")
        fonts = Path(self.folder, ".cache", "matplotlib")  # whose list takes long to make
        shutil.copytree(matplotlib.get_cachedir(), fonts)
        words = json.dumps({"seconds": seconds, "secret": secret})
        file.with_name("secret.json").write_text(words, encoding="utf-8")
        transport = "ipc" if isolated() else "tcp"
        super().__init__(transport=transport, connection_file=str(file), **kwargs)

    @property
    def kernel_spec(self):
        command = [*sandbox(self.folder)] if isolated() else []
        command += [sys.executable, str(KERNEL), "-f", "{connection_file}"]
        return KernelSpec(argv=command, language="python", interrupt_mode="message")

    async def start_kernel(self, **kwargs):
        env = {"HOME": self.folder, "USER": "student", "PATH": "/usr/bin:/bin"}
        env |= {"PYTHONPATH": str(KERNEL.parent.parent)}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        await super().start_kernel(**kwargs | quiet | {"cwd": self.folder, "env": env})

    async def cleanup_resources(self, restart=False):
        await super().cleanup_resources(restart)
        shutil.rmtree(self.folder, ignore_errors=True)


class Execute(preprocessors.Execute):
    """nbgrader's, in isolation; a test has passed only when it has reached its end."""

    seconds = Float(60, help="of computing that a cell may take").tag(config=True)

    def create_kernel_manager(self):
        self.km = Manager(self.seconds, self.secret, config=self.config)
        return self.km

    def preprocess(self, nb, resources, **kwargs):
        """Run all cells, then a test that must fail: if it does not, none has passed."""
        self.secret, self.dead = secrets.token_hex(16), None
        nb.cells.append(CANARY.copy())
        nb, resources = super().preprocess(nb, resources, **kwargs)
        if not utils.has_failed(nb.cells.pop()):
            message = "after this notebook, no test fails any more"
            for cell in nb.cells:
                if utils.is_grade(cell) and cell.cell_type == "code":
                    fail(cell, "TestsSwitchedOff", message)
        return nb, resources

    def preprocess_cell(self, cell, resources, index):
        """Run a cell; if the kernel dies in it, it and those after it have failed."""
        if cell.cell_type != "code":
            return cell, resources
        kind = "given" if utils.is_locked(cell) else "answer"
        kind = "test" if utils.is_grade(cell) else kind
        source, word = cell.source, secrets.token_hex(16)
        cell.source = f"{source}\n#{self.secret} {kind} {word}"
        try:
            if self.dead is None:
                super().preprocess_cell(cell, resources, index)
        except DeadKernelError as error:
            self.dead = str(error)
        except CellTimeoutError:
            self.dead = "this cell could not be interrupted, and nothing was run after it"
        cell.source = source
        if self.dead is not None:
            fail(cell, "DeadKernelError", self.dead)
        elif kind == "test":
            judge(cell, word)
        cell.outputs = [harmless(output) for output in cell.outputs]
        return cell, resources


def judge(cell, word):
    """Keep of a test's outputs what it printed, and an error unless it printed the word."""
    printed = [out for out in cell.outputs if out.output_type in ("stream", "error")]
    passed = any(word in out.get("text", "") for out in printed)
    for out in printed:
        if out.output_type == "stream":  # what is on stderr would count as failing
            out.name, out.text = "stdout", out.text.replace(word, "")
    cell.outputs = [out for out in printed if out.get("text") != ""]
    if not passed and not utils.has_failed(cell):
        fail(cell, "TestStopped", "this test has not reached its end")


def harmless(output):
    """An output that can be shown on a page: with text and images, without a script."""
    if "data" in output:
        kinds = "text/plain", "image/png", "image/jpeg"
        output.data = {kind: output.data[kind] for kind in kinds if kind in output.data}
    return output


def fail(cell, name, message):
    """Give a cell an error."""
    lines = [f"{name}: {message}"]
    cell.outputs.append(new_output("error", ename=name, evalue=message, traceback=lines))


def suspicious(notebook, release):
    """Names in answers that an honest one hardly needs, for somebody to look at.

    Cells of the release are left out: the packed text of the first has any letters.
    """
    given = {cell.source for cell in release.cells}
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    answers = [cell for cell in cells if not utils.is_locked(cell)]
    code = "\n".join(cell.source for cell in answers if cell.source not in given)
    return sorted({"".join(filter(None, found)) for found in SUSPICIOUS.findall(code)})
