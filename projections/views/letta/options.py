"""Options of the view `letta`."""

from agentlog.projections.view import Options


class LettaOptions(Options):
    """How to show a history to a Letta client.

    `stream`: as a stream rather than a list: with `usage_statistics`, `stop_reason` and
    `error_message`, without `summary_message` and `event_message`.
    """

    stream: bool = False
