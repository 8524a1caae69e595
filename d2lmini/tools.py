"""Python functions as tools: how a model is told of them, and how its calls are checked.

`call_tool` of chapter 12 parses a call, `respond` sends its result to the model. What
stands here comes before: `describe` lists functions in a system message, and `guarded`
makes each of them one that refuses wrong arguments, and ends.
"""

import functools
import inspect
import json
import math
import queue
import threading
import typing

__all__ = ["describe", "guarded"]

TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}
PROMPT = """\
You are a helpful AI assistant. You can call these functions:
<tools>
{}
</tools>
To call one, answer with {{"tool": its name, and its arguments}}."""


def describe(tools):
    """The system message that lists functions, given by name, for a model.

    Each is a line of JSON with its name, its description, which is the first paragraph
    of its docstring, and its parameters as a JSON schema: what OpenAI calls a function,
    and what the chat templates of Qwen and Hermes put between <tools> and </tools>.
    The functions must have parameters as for `guarded`, which raises ValueError.
    """
    return PROMPT.format("\n".join(_as_line(name, tools[name]) for name in tools))


def _as_line(name, tool):
    text = inspect.getdoc(tool) or ""
    fields = {"name": name, "description": " ".join(text.split("\n\n")[0].split())}
    parameters = _parameters(tool)
    required = [each.name for each in parameters if each.default is each.empty]
    fields["parameters"] = {
        "type": "object",
        "properties": {each.name: _schema(each.annotation) for each in parameters},
        "required": required,
    }
    return json.dumps(fields, ensure_ascii=False)


def guarded(tool, seconds=10, max_chars=2000):
    """A function that checks its arguments, calls tool with them, and returns a text.

    The parameters of tool are passed by name. Each has a default or not, and one of the
    types str, int, float, bool, list, dict, list[str] and so on, or none. Arguments
    must fit as JSON does: an int also fits float, true is no int, "3" is no number. A
    result is cut after max_chars characters, and says so.

    Raises ValueError at once for other parameters; in a call for arguments that do not
    fit, for whatever tool raises, which is cut likewise, and if it takes more than so
    many seconds. It runs in a thread, which cannot be stopped: then it goes on until the
    program ends. A tool is not kept from anything else, such as taking all the memory.
    """
    parameters = {each.name: each for each in _parameters(tool)}
    form = ", ".join(f"{name}: {_type_name(parameters[name])}" for name in parameters)

    @functools.wraps(tool)
    def call(**arguments):
        for name, value in arguments.items():
            if name not in parameters:
                raise ValueError(f"no argument {name}, only ({form})")
            if not _fits(value, parameters[name].annotation):
                wanted = _type_name(parameters[name])
                raise ValueError(
                    f"{name} must be of type {wanted}, not {json.dumps(value)}"
                )
        for name, parameter in parameters.items():
            if name not in arguments and parameter.default is parameter.empty:
                raise ValueError(f"the argument {name} is missing, of ({form})")
        text, error = _run(tool, arguments, seconds)
        if len(text) > max_chars:
            text = f"{text[:max_chars]} … (cut: {max_chars} of {len(text)} characters)"
        if error:
            raise ValueError(text)
        return text

    return call


def _parameters(tool):
    """The parameters of a function; ValueError if a call could not give them."""
    named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    try:
        found = [*inspect.signature(tool, eval_str=True).parameters.values()]
    except NameError as error:  # of an annotation that is a text
        raise ValueError(f"{tool.__name__}: {error}") from error
    for each in found:
        if each.kind not in named or each.name == "tool":
            raise ValueError(f"{tool.__name__}: {each.name} cannot be passed by its name")
        try:
            _schema(each.annotation)
        except KeyError as error:
            types = ", ".join(each.__name__ for each in TYPES)
            reason = f"the type of {each.name} must be one of {types}"
            raise ValueError(f"{tool.__name__}: {reason}") from error
    return found


def _schema(annotation):
    """The JSON schema of a type; KeyError if there is none."""
    if annotation is inspect.Parameter.empty:
        return {}
    items = typing.get_args(annotation)
    if typing.get_origin(annotation) is list and len(items) == 1:
        return {"type": "array", "items": _schema(items[0])}
    return {"type": TYPES[annotation]}


def _type_name(parameter):
    found = _schema(parameter.annotation)
    inner = found.get("items", {}).get("type")
    return f"array of {inner}" if inner else found.get("type", "any")


def _fits(value, annotation):
    """Whether what was read from JSON is of a type."""
    if annotation is inspect.Parameter.empty:
        return True
    items = typing.get_args(annotation)
    if items:
        return isinstance(value, list) and all(_fits(each, items[0]) for each in value)
    if annotation is float:
        return type(value) in (int, float) and math.isfinite(value)
    return type(value) is annotation


def _run(tool, arguments, seconds):
    """What a tool returns or raises as a text, and whether that is an error."""
    done = queue.SimpleQueue()

    def work():
        try:
            done.put((str(tool(**arguments)), False))
        except ValueError as error:
            done.put((f"{error}", True))
        except BaseException as error:  # SystemExit, too
            done.put((f"{type(error).__name__}: {error}", True))

    threading.Thread(target=work, daemon=True).start()
    try:
        return done.get(timeout=seconds)
    except queue.Empty:
        return f"no result after {seconds} seconds", True
