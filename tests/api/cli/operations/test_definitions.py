"""The commands `rules` and `filters`, and a list of threads that goes by them."""

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from tests.command_line import agentlog


def test_a_rule_set_in_the_terminal_decides_which_threads_failed(database_url: str) -> None:
    with open_service(Settings(database_url=database_url)) as service:
        for thread_id, quality in (("a", 5), ("b", 2)):
            service.threads.start(thread_id, {"metadata": {"quality": quality}})
    set_rule = agentlog("rules", "set", "success", "metadata.quality>=4", url=database_url)
    assert (set_rule.code, set_rule.lines[0]["value"]) == (0, "metadata.quality>=4")
    listed = agentlog("threads", "--filter", "failed", "--json", url=database_url)
    assert [(row["threadId"], row["verdict"]) for row in listed.lines] == [("b", "failed")]
    assert " b " in agentlog("threads", "--filter", "failed", url=database_url).out
    assert "metadata.quality>=4" in agentlog("rules", "list", url=database_url).out
    assert agentlog("rules", "remove", "success", url=database_url).code == 0
    changes = agentlog("rules", "changes", "success", url=database_url)
    assert [change["number"] for change in changes.lines] == [2, 1]
    assert agentlog("threads", "--filter", "failed", "--json", url=database_url).lines == []


def test_a_filter_is_saved_in_the_terminal(database_url: str) -> None:
    with open_service(Settings(database_url=database_url)):
        pass
    assert agentlog("filters", "save", "dear", "cost>0.5", url=database_url).code == 0
    listed = agentlog("filters", "list", "--json", url=database_url)
    assert [(row["name"], row["filter"]) for row in listed.lines] == [("dear", "cost>0.5")]
    assert "dear" in agentlog("filters", "list", url=database_url).out
    assert agentlog("filters", "remove", "dear", url=database_url).code == 0
    refused = agentlog("threads", "--filter", "took>5", url=database_url)
    assert refused.code != 0
    assert "filter: took is compared with a time" in refused.err
