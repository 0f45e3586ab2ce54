"""Histories of other agents, datasets and chat services: how their files are read.

An agent is one folder, or one module where it is a reader only. All but commands is pure.
"""

from collections.abc import Mapping

from agentlog.extension import Command, Extension

_HERE = "agentlog.extensions.formats"
_FORMATS: Mapping[str, str] = {
    "adk": f"{_HERE}.adk:FORMAT",
    "aider": f"{_HERE}.aider:FORMAT",
    "alpaca": f"{_HERE}.datasets.alpaca:FORMAT",
    "amp": f"{_HERE}.amp.thread:FORMAT",
    "atif": f"{_HERE}.atif.trajectory:FORMAT",
    "chatgpt": f"{_HERE}.exports.chatgpt:FORMAT",
    "claude-ai": f"{_HERE}.exports.claude_ai:FORMAT",
    "claude-code": f"{_HERE}.claude_code.session:FORMAT",
    "cline": f"{_HERE}.cline:FORMAT",
    "codex": f"{_HERE}.codex.rollout:FORMAT",
    "copilot-chat": f"{_HERE}.copilot_chat:FORMAT",
    "copilot-cli": f"{_HERE}.copilot_cli.session:FORMAT",
    "cursor": f"{_HERE}.cursor:FORMAT",
    "gemini-cli": f"{_HERE}.gemini_cli:FORMAT",
    "goose": f"{_HERE}.goose.session:FORMAT",
    "inspect": f"{_HERE}.inspect_ai.log:FORMAT",
    "letta-agent": f"{_HERE}.letta.agent_file:FORMAT",
    "mini-swe-agent": f"{_HERE}.swe_agents.mini_swe_agent:FORMAT",
    "opencode": f"{_HERE}.opencode:FORMAT",
    "open-webui": f"{_HERE}.exports.open_webui:FORMAT",
    "openhands": f"{_HERE}.openhands.conversation:FORMAT",
    "openhands-0": f"{_HERE}.openhands.version_0:FORMAT",
    "pi": f"{_HERE}.pi:FORMAT",
    "pydantic-ai": f"{_HERE}.pydantic_ai:FORMAT",
    "qwen-code": f"{_HERE}.qwen_code.session:FORMAT",
    "sharegpt": f"{_HERE}.datasets.sharegpt:FORMAT",
    "swe-agent": f"{_HERE}.swe_agents.swe_agent:FORMAT",
    "tau2": f"{_HERE}.tau2:FORMAT",
}

EXTENSION = Extension(
    about="formats of agents, datasets and chat services",
    formats=_FORMATS,
    appendable={name: _FORMATS[name] for name in ("adk", "claude-code", "pydantic-ai")},
    own_types={
        "claude-code": f"{_HERE}.claude_code.own_types:OWN_TYPES",
        "codex": f"{_HERE}.codex.own_types:OWN_TYPES",
        "inspect": f"{_HERE}.inspect_ai.own_types:OWN_TYPES",
        "letta-agent": f"{_HERE}.letta.own_types:OWN_TYPES",
        "swe-agent": f"{_HERE}.swe_agents.own_types:OWN_TYPES",
    },
    links={
        "adk": f"{_HERE}.contexts.adk:adk_links",
        "amp": f"{_HERE}.amp.links:amp_links",
        "claude-code": f"{_HERE}.claude_code.links:claude_code_links",
        "cline": f"{_HERE}.contexts.cline:cline_links",
        "codex": f"{_HERE}.codex.links:codex_links",
        "copilot-cli": f"{_HERE}.copilot_cli.links:copilot_cli_links",
        "gemini-cli": f"{_HERE}.contexts.gemini_cli:gemini_cli_links",
        "letta-agent": f"{_HERE}.letta.links:letta_links",
        "goose": f"{_HERE}.goose.session:goose_links",
        "opencode": f"{_HERE}.contexts.opencode:opencode_links",
        "openhands": f"{_HERE}.openhands.links:openhands_links",
        "openhands-0": f"{_HERE}.openhands.links:openhands_0_links",
        "pi": f"{_HERE}.pi:pi_links",
        "qwen-code": f"{_HERE}.qwen_code.links:qwen_code_links",
    },
    failure_texts={"swe-agent": f"{_HERE}.swe_agents.swe_agent_tools:REFUSED_EDIT"},
    views={
        "gemini": f"{_HERE}.gemini.view:GeminiView",
        "run-state": f"{_HERE}.run_state.view:RunStateView",
        "atif": f"{_HERE}.atif.view:AtifView",
    },
    commands={
        "export finetune": Command(
            f"{_HERE}.finetuning.command:app",
            "Export OpenAI's fine-tuning lines, a finished thread a line.",
        ),
    },
)
