"""Alembic's environment: runs on the connection that it is handed, inside that connection's transaction."""

from alembic import context

from superbizagent.store.rows import Row

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Row.metadata,
    render_as_batch=True,
)
context.run_migrations()
