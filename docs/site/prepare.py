#!/usr/bin/env python3
"""Copies the pages of the manual and makes its reference: prepare.py PROGRAM FOLDER. Only Python itself is needed.

Commands come from `--help`, settings from `driftline schema`, the Python API from the docstrings in the source, the server's metrics
from their help lines in the source.
"""
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "crates/driftline-py/python/driftline"


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def copy(pages):
    """The pages. A link to a file of the repository that is no page becomes its name."""
    for path in sorted((ROOT / "docs").rglob("*")):
        to = pages / path.relative_to(ROOT / "docs")
        if path.suffix == ".md":
            to.parent.mkdir(parents=True, exist_ok=True)
            outside = re.compile(r"\[([^]]*)\]\((\.\./[^)]+)\)")
            inside = lambda match: (path.parent / match[2].split("#")[0]).resolve().is_relative_to(ROOT / "docs")
            keep = lambda match: match[0] if inside(match) else f"{match[1]} (`{match[2].replace('../', '')}`)"
            to.write_text(outside.sub(keep, path.read_text()))
        elif path.suffix in (".svg", ".png"):
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)


def subcommands(text):
    """The names under the headings of a help text, by what stands two spaces in; `help` is not one of ours."""
    part = re.split(r"\n(?:Options|Arguments):", text)[0].split("\nUsage:")[-1]
    return [name for name in re.findall(r"^  ([a-z][a-z-]*)  ", part, re.M) if name != "help"]


def commands(program):
    page = ["# Commands", "", "Made from `driftline COMMAND --help`. `driftline man` prints the same as a manual page.", ""]
    top = run(program, "--help")
    page += ["```text", top.rstrip(), "```", ""]
    for name in subcommands(top):
        text = run(program, name, "--help")
        page += [f"## driftline {name}", "", "```text", text.rstrip(), "```", ""]
        if re.search(r"\[OPTIONS\] <COMMAND>|\n  help  ", text):
            for inner in subcommands(text):
                page += [f"### driftline {name} {inner}", "", "```text", run(program, name, inner, "--help").rstrip(), "```", ""]
    return page


def kind(schema):
    """What a setting takes, in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(kind(one) for one in schema[several] if one.get("type") != "null"))
    types = schema.get("type", "any value")
    types = [one for one in ([types] if isinstance(types, str) else types) if one != "null"]
    if types == ["array"]:
        return f"list of {kind(schema.get('items', {}))}"
    if types == ["object"] and "properties" in schema:
        return "{ " + ", ".join(f"{key}: {kind(value)}" for key, value in schema["properties"].items()) + " }"
    return " or ".join({"integer": "whole number", "string": "text", "boolean": "true or false"}.get(one, one) for one in types)


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def described(name, schema, level="##"):
    page = [f"{level} {name}", "", cell(schema.get("description", "")), ""]
    if "properties" in schema:
        page += ["| setting | takes | default | meaning |", "|---|---|---|---|"]
        for key, value in schema["properties"].items():
            default = f"`{json.dumps(value['default'])}`" if "default" in value else ""
            page.append(f"| `{key}` | {cell(kind(value))} | {default} | {cell(value.get('description', ''))} |")
        page.append("")
    for several in ("oneOf", "anyOf"):
        if several in schema:
            page += [f"- {cell(kind(one))}{': ' if one.get('description') else ''}{cell(one.get('description', ''))}" for one in schema[several]] + [""]
    if not any(key in schema for key in ("properties", "oneOf", "anyOf")):
        page += [f"Takes: {cell(kind(schema))}.", ""]
    return page


def settings(title, about, schema):
    # The description of the whole file is meant for those who extend it.
    page = [f"# {title}", "", about, ""] + described("The file", {**schema, "description": ""})
    for name in sorted(schema["$defs"]):
        page += described(name, schema["$defs"][name])
    return page


def signature(node):
    return f"{node.name}({ast.unparse(node.args)})"


def documented(node, level, name):
    text = ast.get_docstring(node) or ""
    if not text:
        return []
    title = name + (signature(node)[len(node.name):] if isinstance(node, ast.FunctionDef) else "")
    # Indented, so that doctests, lists and parameters stay as they are written.
    return [f"{level} {name}", "", "```python", title, "```", "", "```text", text, "```", ""]


def python():
    page = ["# Python API", "", "Made from the docstrings. `help(driftline.DriftClassifier)` shows the same.", ""]
    modules = [("driftline", ["_estimator", "_models", "_adapt", "_monitor"])]
    modules += [(f"driftline.{name}", [name]) for name in ("alignment", "datasets", "drift", "model_selection")]
    modules += [("driftline.research", ["_experiment", "_theory"]), ("driftline.ray", ["ray/_fleet", "ray/_experiment"])]
    for module, files in modules:
        page += [f"## {module}", ""]
        for file in files:
            for node in ast.parse((PYTHON / f"{file}.py").read_text()).body:
                if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_"):
                    continue
                page += documented(node, "###", f"{module}.{node.name}")
                for inner in node.body if isinstance(node, ast.ClassDef) else []:
                    if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                        page += documented(inner, "####", f"{node.name}.{inner.name}")
    return page


def metrics():
    """In the source a family is `self.one("name", "kind", help, …)`, `self.add(…)` alike, or `self.known("name", help, …)`, a gauge. Its
    help is a literal there or the last `let help = "…"`; a list of names with ends of their help stands before `let help = format!(…)`."""
    source = (ROOT / "crates/driftline-cli/src/commands/serve/health.rs").read_text()
    found, said, listed = [], "", []
    call = r"""let\ help\ =\s*"([^"]+)"                                   # 1 help
             | \(\s*"([a-z_]+)",\s*"([^"]*)",\s*record\.                # 2 name of a list, 3 end of its help
             | format!\(\s*"([^"{]+)\{end\}\."                          # 4 help of the list
             | self\.(?:add|one)\(\s*"([a-z_]+)",\s*"([a-z]+)",\s*(?:help|&help|"([^"]+)")   # 5 name, 6 kind, 7 help
             | self\.known\(\s*"([a-z_]+)",\s*(?:help|&help|"([^"]+)")     # 8 name, 9 help"""
    for match in re.finditer(call, source, re.X):
        said = match[1] or match[7] or match[9] or said
        if match[2]:
            listed.append((match[2], match[3]))
        elif match[4]:
            found += [(name, "gauge", f"{match[4]}{end}.") for name, end in listed]
            listed = []
        elif match[5] or match[8]:
            found.append((match[5] or match[8], match[6] or "gauge", said))
    page = ["# Metrics of the server", "", "`GET /metrics` of `driftline serve` has these, in the text format of Prometheus.", ""]
    page += ["| metric | kind | meaning |", "|---|---|---|"]
    return page + [f"| `driftline_{name}` | {kind} | {cell(text)} |" for name, kind, text in found] + [""], len(found)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    copy(pages)
    reference = pages / "reference"
    reference.mkdir(parents=True)
    write = lambda name, page: (reference / f"{name}.md").write_text("\n".join(page) + "\n")
    write("commands", commands(program))
    adapt = "Keys of a file for `adapt --settings`, and of a method in an experiment file. Made from `driftline schema --settings`."
    write("settings", settings("Settings", adapt, json.loads(run(program, "schema", "--settings"))))
    whole = "Keys of an experiment file. Made from `driftline schema`."
    write("experiments", settings("Experiment files", whole, json.loads(run(program, "schema"))))
    write("python", python())
    page, found = metrics()
    if found < 10:
        sys.exit(f"only {found} metrics were found in the source of `serve`")
    write("metrics", page)
    shutil.copy(ROOT / "docs/site/style.css", pages / "style.css")
    shutil.copy(ROOT / "docs/site/mkdocs.yml", folder / "mkdocs.yml")


main()
