"""Runs a notebook from top to bottom: `python execute.py NOTEBOOK [HTML]`. Fails with the first cell that does."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path = Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ran")
if len(sys.argv) > 2:
    from nbconvert import HTMLExporter

    Path(sys.argv[2]).write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
