"""What a run did on its phone, as steps: each act that went well, in order.

The MCP server writes them down, since it alone knows which element was touched; so a run of any
brain can be made a task.
"""

import logging
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from core.db import Database
from core.errors import ConsoleError
from core.models import RunAct

logger = logging.getLogger(__name__)

MOST = 500


def keep(db: Database, run_id: str, app: str, step: dict[str, Any]) -> None:
    """Keep an act; one that cannot be kept is done all the same.

    Args:
        db: Where runs are.
        run_id: Whose act it was.
        app: The package in front before it; of an app that was opened, its own.
        step: The step that does the same.
    """
    try:
        with db.write() as session:
            many = select(func.count()).select_from(RunAct).where(RunAct.run_id == run_id)
            if (session.scalar(many) or 0) < MOST:
                session.add(RunAct(run_id=run_id, app=app, step=step))
    except (SQLAlchemyError, ConsoleError) as error:
        logger.warning("run %s: an act was not kept: %s", run_id, error)


def of_run(db: Database, run_id: str) -> list[tuple[str, dict[str, Any]]]:
    """List a run's acts in order: the app, and the step."""
    query = select(RunAct).where(RunAct.run_id == run_id).order_by(RunAct.id)
    with db.read() as session:
        return [(row.app, dict(row.step)) for row in session.scalars(query)]
