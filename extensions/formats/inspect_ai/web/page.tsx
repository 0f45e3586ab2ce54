import type { PageParts } from "#page/extensions";
import type { Json } from "#page/api/exact";
import { Code } from "#page/parts/text/Code";
import { TerminalText } from "#page/parts/text/TerminalText";
import { fieldsIn, listIn, numberIn, textIn, valueIn } from "#page/thread/event/contents";
import { glimpseOf } from "#page/payloads/distinguishing";
import { Glimpse } from "#page/payloads/Glimpse";
import styles from "#page/payloads/payloads.module.css";

/** Events of inspect_ai's logs. */
export const PAGE: PageParts = {
  payloads: {
    "inspect.score": (payload) => <Score payload={payload} />,
    "inspect.score_edit": (payload) => <Score payload={payload} />,
    "inspect.state": (payload) => <Patch payload={payload} />,
    "inspect.store": (payload) => <Patch payload={payload} />,
    "inspect.sandbox": (payload) => <Sandbox payload={payload} />,
  },
};

interface PayloadProps {
  readonly payload: Json;
}

const GRADES: Partial<Record<string, { word: string; tone: string }>> = {
  C: { word: "correct", tone: "ok" },
  I: { word: "incorrect", tone: "bad" },
  P: { word: "partial", tone: "warn" },
  N: { word: "no answer", tone: "warn" },
};

/** A score of Inspect: its value, what was answered and wanted, and why. */
function Score({ payload }: PayloadProps) {
  const score = fieldsIn(payload, "score");
  const value = score["value"] ?? null;
  const grade = typeof value === "string" ? GRADES[value] : undefined;
  const rows = [
    ["answer", score["answer"]],
    ["target", valueIn(payload, "target")],
    ["explanation", score["explanation"]],
  ] as const;
  return (
    <div className={styles["score"]}>
      <p>
        <span className={`badge ${grade?.tone ?? "accent"}`}>{grade?.word ?? "score"}</span>{" "}
        <strong>{glimpseOf(value, 200)}</strong> {textIn(payload, "scorer")}
      </p>
      <Glimpse
        value={Object.fromEntries(
          rows.flatMap(([name, said]) => (said == null ? [] : [[name, said]])),
        )}
      />
    </div>
  );
}

const SIGNS: Partial<Record<string, string>> = { add: "+", remove: "−", replace: "~" };
const MOST_CHANGES = 100;

/** What changed in the state or store of an Inspect run: a line a change. */
function Patch({ payload }: PayloadProps) {
  const changes = listIn(payload, "changes");
  return (
    <ul className={styles["patch"]}>
      {changes.slice(0, MOST_CHANGES).map((change, index) => {
        const op = textIn(change, "op") ?? "";
        const value = valueIn(change, "value");
        return (
          <li key={index} data-op={op}>
            <span role="img" aria-label={op}>
              {SIGNS[op] ?? op}
            </span>{" "}
            <code>{textIn(change, "path")}</code> {value !== undefined && glimpseOf(value, 300)}
          </li>
        );
      })}
      {changes.length > MOST_CHANGES && <li>… {changes.length - MOST_CHANGES} more</li>}
    </ul>
  );
}

/** A command in the sandbox of an Inspect run, or a file that was read or written there. */
function Sandbox({ payload }: PayloadProps) {
  const command = textIn(payload, "cmd");
  const output = textIn(payload, "output") ?? textIn(payload, "input");
  const code = numberIn(payload, "result") ?? 0;
  return (
    <>
      {command === null ? (
        <p>
          {textIn(payload, "action")} <code>{textIn(payload, "file")}</code>
        </p>
      ) : (
        <Code text={command} language="bash" />
      )}
      {code !== 0 && <span className="badge bad">exit {code}</span>}
      {output !== null && (
        <pre className={styles["output"]}>
          <TerminalText text={output} />
        </pre>
      )}
    </>
  );
}
