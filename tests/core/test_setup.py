"""The set-up step: every program calls it, so it does nothing twice."""

import subprocess
import sys
from pathlib import Path

from alembic import command
from alembic.config import Config as AlembicConfig
from sqlalchemy import inspect

from core.config import Config
from core.db import Database
from core.memory import experiences, renewal, wording
from core.memory.experiences import NewExperience
from core.models import AuditEntry, Base
from core.setup import MIGRATIONS, Instance, ensure


def test_an_older_database_is_brought_to_what_the_models_say(tmp_path: Path) -> None:
    config = Config(phonedeck_data=tmp_path)
    older = AlembicConfig()
    older.set_main_option("script_location", str(MIGRATIONS))
    older.attributes["url"] = config.url
    command.upgrade(older, "0001")
    db = Database(config.url)
    before = set(inspect(db.engine).get_table_names())
    db.close()

    instance = ensure(config)

    after = set(inspect(instance.db.engine).get_table_names())
    instance.db.close()
    assert before < after
    own = {name for name in after if not name.startswith(wording.NAME)}  # FTS5 has several
    assert own - {"alembic_version"} == set(Base.metadata.tables)


def test_what_an_older_version_kept_is_searched_by_its_recipe_and_known_for_a_persons(
    tmp_path: Path,
) -> None:
    config = Config(phonedeck_data=tmp_path)
    instance = ensure(config)
    with instance.db.write() as session:
        wanted = NewExperience("给张三打电话", "进电话，点张三那一行。", run_id="run1")
        kept = experiences.add(session, wanted).experience_id
        target = f"/api/agent/experiences/{kept}"
        deed = {"action": "memory.change_experience", "method": "PUT", "status": 200}
        session.add(AuditEntry(target=target, **deed))
    instance.db.close()
    older = AlembicConfig()
    older.set_main_option("script_location", str(MIGRATIONS))
    older.attributes["url"] = config.url
    command.downgrade(older, "0026")

    again = ensure(config)
    renewal.say_anew(again.db)

    [found] = experiences.listing(again.db, "那一行")["items"]
    with again.db.write() as session:
        experiences.remove(session, found["id"])  # the index has the very same words
    none = experiences.listing(again.db, "那一行")["items"]
    again.db.close()
    assert (found["task"], none) == ("给张三打电话", [])  # a person had corrected it


def test_a_program_that_finds_everything_in_order_does_not_load_alembic(
    instance: Instance,
) -> None:
    code = "import sys; from core import setup; setup.ensure(); sys.exit('alembic' in sys.modules)"

    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=MIGRATIONS.parent,
        env={"PHONEDECK_DATA": str(instance.config.data)},
        timeout=30,
        check=False,
    )

    assert ended.returncode == 0
