"""Commands for serving and migration."""

from typing import Annotated

import typer

from api.cli.options import DataDir

app = typer.Typer()


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 for any free one.")] = None,
    *,
    allow_anonymous: Annotated[
        bool,
        typer.Option(
            "--allow-anonymous",
            help="Let whoever reaches the service do everything, until a first key is made.",
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Serve HTTP, on a PostgreSQL of its own unless AGENTLOG_DATABASE_URL names one."""
    from api.cli.serving import serve as run_service
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        anonymous = "allow" if allow_anonymous else None
        run_service(settings_with(data_dir=data_dir, host=host, port=port, anonymous=anonymous))


@app.command()
def demo(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 for any free one.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve with example threads, in a data folder of their own, and say what to open."""
    from api.cli.examples import load_examples, tour
    from api.cli.serving import Showing
    from api.cli.serving import serve as run_service
    from api.cli.session import demo_settings, failing_clearly

    with failing_clearly():
        settings = demo_settings(data_dir=data_dir, host=host, port=port)
        run_service(settings, showing=Showing(load_examples, tour))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database's schema up to date (serve does it too)."""
    from api.cli.reading import migrate as run_migrations
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        run_migrations(settings_with(data_dir=data_dir))
