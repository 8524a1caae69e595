"""What a reader sees below a cell: each figure once, complete, and where it belongs."""

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

CELLS = {
    "imports": "import torch\nimport d2lmini as d2l\nplt = d2l.plt\n"
    "eye = torch.eye(3)[None, None]\n"
    "class Data(d2l.DataModule):\n"
    "    batch_size = 4\n"
    "    def get_dataloader(self, train):\n"
    "        return self.get_tensorloader((torch.ones(8, 2), torch.ones(8, 1)), train)\n"
    "class Model(d2l.Module):\n"
    "    lr, loss = 0.1, staticmethod(torch.nn.functional.mse_loss)\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.net = torch.nn.Linear(2, 1)\n",
    "value": "d2l.show_heatmaps(eye, 'Keys', 'Queries')",
    "loop": "for _ in range(3):\n    d2l.show_heatmaps(eye, 'Keys', 'Queries')",
    "plot after": "d2l.show_heatmaps(eye, 'Keys', 'Queries')\nd2l.plot([1, 2, 3])",
    "fit": "for i in range(2):\n    d2l.Trainer(2).fit(Model(), Data())\n    print(i)",
    "fit and plot": "d2l.Trainer(2).fit(Model(), Data())\nd2l.plot([1, 2, 3])",
    "board": "board = d2l.ProgressBoard('x')\nboard.draw(1, 2, 'a')",
    "board again": "board.draw(2, 3, 'a')",
    "interrupt": "model = Model()\n"
    "def stop(batch):\n    raise KeyboardInterrupt\n"
    "model.validation_step = stop\nd2l.Trainer(2).fit(model, Data())",
}


@pytest.fixture(scope="module")
def shown():
    """For each cell, what appears below it: p for a picture, t for text, e for an error."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    )
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": ROOT}},
    )
    client.execute()
    kinds = {"display_data": "p", "execute_result": "v", "stream": "t", "error": "e"}
    return {
        name: "".join(kinds[output.output_type] for output in cell.outputs)
        for name, cell in zip(CELLS, notebook.cells, strict=True)
    }


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("imports", ""),
        ("value", "p"),
        ("loop", "ppp"),
        ("plot after", "pp"),
        ("fit", "tpp"),
        ("fit and plot", "pp"),
        ("board", "p"),
        ("board again", "p"),
        ("interrupt", "ep"),
    ],
)
def test_each_figure_appears_once_and_in_its_place(shown, cell, expected):
    assert shown[cell] == expected
