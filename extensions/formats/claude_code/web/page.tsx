import type { PageParts } from "#page/extensions";
import { fieldsIn, isFields, textIn } from "#page/thread/event/contents";
import { Glimpse } from "#page/payloads/Glimpse";

/** Lines of Claude Code's sessions: what it told the model, and what a sub-agent does. */
export const PAGE: PageParts = {
  payloads: {
    "claude-code.attachment": (payload) => {
      const attached = fieldsIn(payload, "attachment");
      return Object.keys(attached).length === 0 ? null : <Glimpse value={attached} />;
    },
    "claude-code.progress": (payload) => {
      const data = fieldsIn(payload, "data");
      const prompt = textIn(data, "prompt");
      if (prompt !== null) return <Glimpse value={prompt} />;
      return Object.keys(data).length === 0 ? null : <Glimpse value={data} />;
    },
    "claude-code.cost-state": (payload) => {
      const models = fieldsIn(payload, "modelUsage");
      return Object.keys(models).length === 0 ? null : <Glimpse value={models} />;
    },
    "claude-code.api-request": (payload) => {
      const params = fieldsIn(payload, "params");
      return Object.keys(params).length === 0 ? null : <Glimpse value={params} />;
    },
    "claude-code.file-history-snapshot": (payload) => {
      const files = fieldsIn(payload, "snapshot")["trackedFileBackups"];
      return isFields(files) ? <Glimpse value={files} /> : null;
    },
    "claude-code.summary": (payload) => {
      const summary = textIn(payload, "summary");
      return summary === null ? null : <Glimpse value={summary} />;
    },
  },
};
