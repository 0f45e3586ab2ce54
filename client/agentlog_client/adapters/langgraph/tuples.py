"""Checkpoints of a branch as LangGraph's tuples."""

from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol

from agentlog_client.adapters.langgraph.branch import Branch, Stored


def config_of(graph_thread: str, namespace: str, checkpoint: str) -> RunnableConfig:
    """Return the configuration that names a checkpoint."""
    return {
        "configurable": {
            "thread_id": graph_thread,
            "checkpoint_ns": namespace,
            "checkpoint_id": checkpoint,
        }
    }


def tuple_of(
    graph_thread: str, branch: Branch, stored: Stored, serde: SerializerProtocol
) -> CheckpointTuple:
    """Return a checkpoint with the values of its channels and what was written after it."""
    values = {
        channel: branch.value(branch.values[channel, version], serde)
        for channel, version in stored.channel_versions.items()
        if (channel, version) in branch.values
    }
    checkpoint: dict[str, Any] = {
        **branch.value(stored.body, serde),
        "id": stored.id,
        "channel_versions": {**stored.channel_versions},
        "versions_seen": {node: {**seen} for node, seen in stored.versions_seen.items()},
        "channel_values": values,
    }
    parent = stored.parent and config_of(graph_thread, branch.namespace, stored.parent)
    return CheckpointTuple(
        config_of(graph_thread, branch.namespace, stored.id),
        cast("Checkpoint", checkpoint),
        branch.value(stored.metadata, serde),
        parent or None,
        branch.pending(stored.id, serde),
    )
