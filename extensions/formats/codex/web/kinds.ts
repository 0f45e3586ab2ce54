import type { Kind } from "#page/parts/kinds";

/** Types that the reader of Codex's rollouts keeps beside those of the kernel. */
export const KINDS: Readonly<Record<string, Kind>> = {
  "codex.session_meta": { name: "session", group: "note", fold: "machinery" },
  "codex.task_started": { name: "turn", group: "note", fold: "machinery" },
  "codex.task_complete": { name: "turn ends", group: "note", fold: "machinery" },
  "codex.turn_aborted": { name: "turn broken off", group: "note" },
  "codex.turn_context": { name: "turn's settings", group: "state", fold: "machinery" },
  "codex.thread_settings_applied": { name: "settings", group: "state", fold: "machinery" },
  "codex.world_state": { name: "environment", group: "state", fold: "machinery" },
  "codex.item_completed": { name: "item", group: "note", fold: "machinery" },
  "codex.exec_command_end": { name: "command ends", group: "tool", fold: "machinery" },
  "codex.mcp_tool_call_end": { name: "MCP call ends", group: "tool", fold: "machinery" },
  "codex.patch_apply_end": { name: "patch applied", group: "tool" },
  "codex.web_search_call": { name: "web search", group: "tool" },
  "codex.web_search_end": { name: "web search ends", group: "tool", fold: "machinery" },
  "codex.token_count": { name: "token count", group: "model", fold: "model" },
  "codex.token_usage_record": { name: "token count", group: "model", fold: "model" },
  "codex.compacted": { name: "compaction", group: "thought" },
  "codex.context_compacted": { name: "compaction", group: "thought" },
  "codex.entered_review_mode": { name: "review", group: "note", fold: "machinery" },
  "codex.exited_review_mode": { name: "review ends", group: "note", fold: "machinery" },
  "codex.inter_agent_communication": { name: "message of an agent", group: "worker" },
  "codex.state": { name: "state", group: "state", fold: "machinery" },
  "codex.user_message": { name: "prompt", group: "user", fold: "machinery" },
};
