"""Run students' notebooks where they can do no harm, for nbgrader.

A course's settings (nbgrader_config.py) put Execute in the place of nbgrader's own. Its
kernel works in a temporary folder, with the package that students have, in which the
definitions that exercises ask for are stubs. Where bubblewrap is installed, it works in
Linux namespaces of its own: without a network, with no file but those of the programs that
it needs, which it cannot change, and with limits of memory and of processes. Neither the
course's folder nor the user's is there.
"""

import functools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader import preprocessors
from traitlets import Float, Integer, Unicode

CONTROL = "--unshare-all", "--die-with-parent", "--new-session"


@functools.cache
def isolated():
    """Whether this system lets us isolate a process: bubblewrap is installed and works."""
    test = ["bwrap", *CONTROL, "--ro-bind", "/", "/", "prlimit", "--nproc=9", "true"]
    if shutil.which("bwrap") is None:
        return False
    return subprocess.run(test, capture_output=True).returncode == 0


def sandbox(folder, package, gigabytes, processes):
    """The beginning of a command, the rest of which sees this folder and can change it."""
    shown = [sys.prefix, sys.base_prefix, package, "/usr", "/bin", "/lib", "/lib64"]
    shown += ["/etc/alternatives", "/etc/fonts"]
    command = ["bwrap", *CONTROL, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    command += ["--unsetenv", "JPY_PARENT_PID"]  # which has another number inside
    for path in map(str, shown):
        command += ["--ro-bind-try", path, path]
    command += ["--bind", folder, folder, "--chdir", folder]
    memory = int(gigabytes * 2**30)
    return [*command, "prlimit", f"--data={memory}", f"--nproc={processes}"]


class Manager(AsyncKernelManager):
    """Starts a kernel in a temporary folder, isolated if possible."""

    def __init__(self, limits, package, stderr, **kwargs):
        self.folder = tempfile.mkdtemp(prefix="grading-")
        self.limits, self.package, self.stderr = limits, package, stderr
        fonts = Path(self.folder, ".cache", "matplotlib")  # whose list takes long to make
        shutil.copytree(matplotlib.get_cachedir(), fonts)
        file = str(Path(self.folder, "kernel.json"))
        transport = "ipc" if isolated() else "tcp"
        super().__init__(transport=transport, connection_file=file, **kwargs)

    @property
    def kernel_spec(self):
        within = sandbox(self.folder, self.package, *self.limits) if isolated() else []
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        argv = [*within, *command]
        return KernelSpec(argv=argv, language="python", interrupt_mode="message")

    async def start_kernel(self, **kwargs):
        env = {"HOME": self.folder, "USER": "student", "PATH": "/usr/bin:/bin"}
        env |= {"PYTHONPATH": self.package}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": self.stderr}
        await super().start_kernel(**kwargs | quiet | {"cwd": self.folder, "env": env})

    async def cleanup_resources(self, restart=False):
        await super().cleanup_resources(restart)
        shutil.rmtree(self.folder, ignore_errors=True)


class Execute(preprocessors.Execute):
    """nbgrader's, in isolation."""

    package = Unicode(help="the folder in which students' package lies").tag(config=True)
    gigabytes = Float(8, help="of memory that a process may take").tag(config=True)
    processes = Integer(512, help="processes and threads of a notebook").tag(config=True)

    def create_kernel_manager(self):
        limits = self.gigabytes, self.processes
        self.km = Manager(limits, self.package, self.stderr, config=self.config)
        return self.km

    def preprocess(self, nb, resources, **kwargs):
        """Run a notebook.

        Raises RuntimeError, with what it has written to stderr, if no kernel starts.
        """
        self.dead = None
        with tempfile.TemporaryFile() as self.stderr:
            try:
                return super().preprocess(nb, resources, **kwargs)
            except RuntimeError as error:
                self.stderr.seek(0)
                written = self.stderr.read()[-4000:].decode(errors="replace").strip()
                raise RuntimeError(f"{error}\n{written or 'It wrote nothing.'}") from error

    def preprocess_cell(self, cell, resources, index):
        """Run a cell; if the kernel dies in it, it and those after it have failed."""
        if cell.cell_type != "code":
            return cell, resources
        try:
            if self.dead is None:
                super().preprocess_cell(cell, resources, index)
        except DeadKernelError:
            self.dead = "the kernel died, for example for lack of memory"
        except CellTimeoutError:
            self.dead = "a cell could not be interrupted, and nothing was run after it"
        if self.dead is not None:
            name = "DeadKernelError"
            lines = [f"{name}: {self.dead}"]
            output = new_output("error", ename=name, evalue=self.dead, traceback=lines)
            cell.outputs.append(output)
        if any(out.get("ename") == "CellTimeoutError" for out in cell.outputs):
            outputs = cell.outputs
            cell.outputs = [o for o in outputs if o.get("ename") != "KeyboardInterrupt"]
        return cell, resources


def check_kernel(config):
    """Start a kernel as for a student's notebook, and import the package there.

    Raises ValueError with the reason if this fails: then it fails for every student.
    """
    cell = new_code_cell("import d2lmini")
    try:
        Execute(config=config).preprocess(new_notebook(cells=[cell]), {})
        for output in cell.outputs:
            if output.output_type == "error":
                raise RuntimeError(f"{output.ename}: {output.evalue}")
    except RuntimeError as error:
        reason = f"no notebook can be run, so nothing was graded or changed: {error}"
        raise ValueError(reason) from error
