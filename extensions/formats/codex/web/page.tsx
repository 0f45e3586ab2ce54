import type { PageParts } from "#page/extensions";
import type { Json } from "#page/api/exact";
import { Code } from "#page/parts/text/Code";
import { TerminalText } from "#page/parts/text/TerminalText";
import { fieldsIn, isFields, listIn, numberIn, textIn } from "#page/thread/event/contents";
import { Glimpse } from "#page/payloads/Glimpse";
import styles from "#page/payloads/payloads.module.css";

/** Events of Codex's rollouts: what an envelope holds. */
export const PAGE: PageParts = {
  payloads: {
    "codex.item_completed": (payload) => {
      const item = fieldsIn(payload, "payload")["item"];
      if (!isFields(item)) return null;
      return textIn(item, "type") === "CommandExecution" ? (
        <Command command={item} />
      ) : (
        <Glimpse value={item} />
      );
    },
    "codex.exec_command_end": (payload) => <Command command={fieldsIn(payload, "payload")} />,
    "codex.patch_apply_end": (payload) => <Patched payload={fieldsIn(payload, "payload")} />,
    "codex.token_count": (payload) => {
      const usage = fieldsIn(fieldsIn(payload, "payload"), "info")["last_token_usage"];
      return isFields(usage) ? <Glimpse value={usage} /> : null;
    },
    "codex.turn_context": inside,
    "codex.session_meta": inside,
    "codex.thread_settings_applied": (payload) => {
      const settings = fieldsIn(payload, "payload")["thread_settings"];
      return isFields(settings) ? <Glimpse value={settings} /> : null;
    },
  },
};

function inside(payload: Json) {
  const held = fieldsIn(payload, "payload");
  return Object.keys(held).length === 0 ? null : <Glimpse value={held} />;
}

/** A command that was run, how it ended, and what it printed. */
function Command({ command }: { command: Json }) {
  const words = listIn(command, "command").filter((word) => typeof word === "string");
  const isShell = words[1] === "-lc" || words[1] === "-c";
  const output = textIn(command, "aggregated_output") ?? textIn(command, "stdout");
  const code = numberIn(command, "exit_code") ?? 0;
  return (
    <>
      <Code text={(isShell ? words.slice(2) : words).join(" ")} language="bash" />
      {code !== 0 && <span className="badge bad">exit {code}</span>}
      {output !== null && output !== "" && (
        <pre className={styles["output"]}>
          <TerminalText text={output} />
        </pre>
      )}
    </>
  );
}

/** Files that a patch changed, and what was said of it. */
function Patched({ payload }: { payload: Json }) {
  const said = textIn(payload, "stderr") || textIn(payload, "stdout");
  return (
    <>
      <ul className={styles["patch"]}>
        {Object.entries(fieldsIn(payload, "changes")).map(([path, change]) => (
          <li key={path}>
            {isFields(change) ? Object.keys(change).join() : ""} <code>{path}</code>
          </li>
        ))}
      </ul>
      {said !== null && <pre className={styles["output"]}>{said}</pre>}
    </>
  );
}
