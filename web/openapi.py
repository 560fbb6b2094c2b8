"""Write ``web/console/openapi.json``, from which the front end's types are made.

``python -m web.openapi`` after a change of a model; a test says when it was forgotten.
"""

import json
import tempfile
from pathlib import Path

from core.config import Config
from web.api import description
from web.app import console_of, create_app

TARGET = Path(__file__).parent / "console" / "openapi.json"


def described() -> str:
    """Return the API's description as JSON text, the same at every call."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Config(phonedeck_data=Path(folder)))
        with app.app_context():
            text = json.dumps(description(), ensure_ascii=False, indent=1, sort_keys=True)
        console_of(app).close()
    return f"{text}\n"


if __name__ == "__main__":
    TARGET.write_text(described(), encoding="utf-8")
