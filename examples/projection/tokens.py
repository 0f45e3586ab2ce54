"""Tokens of each model, in a table of one's own beside the log.

PERSISTENCE_MODULE=agentlog.persistence python examples/projection/tokens.py
"""

from eventsourcing.application import Application
from eventsourcing.persistence import Tracking
from eventsourcing.projection import Projection, ProjectionRunner

from agentlog.persistence import Event, View


class Agents(Application[str]):
    """The log: its events are the messages and facts of all threads."""


class Tokens(View):
    """The table, filled in the transaction that also moves its place in the log."""

    schema = "CREATE TABLE IF NOT EXISTS tokens_by_model (model text PRIMARY KEY, tokens bigint)"

    def add(self, model: str, tokens: int, tracking: Tracking) -> None:
        """Count the tokens of an answer."""
        with self.transaction(tracking) as connection:
            connection.execute(
                "INSERT INTO tokens_by_model AS counted VALUES (%s, %s) ON CONFLICT (model) "
                "DO UPDATE SET tokens = counted.tokens + excluded.tokens",
                (model, tokens),
            )


class CountTokens(Projection[Tokens]):
    """Reads what models answered, event by event."""

    topics = ("llm_response",)

    def process_event(self, domain_event: Event, tracking: Tracking) -> None:
        """Count an answer; one without figures only moves the place."""
        match domain_event.raw:
            case {"model": str(model), "usage": {"totalTokens": int(tokens)}}:
                self.view.add(model, tokens, tracking)
            case _:
                self.view.insert_tracking(tracking)


if __name__ == "__main__":
    with ProjectionRunner(
        application_class=Agents, projection_class=CountTokens, view_class=Tokens
    ) as runner:
        runner.run_forever()
