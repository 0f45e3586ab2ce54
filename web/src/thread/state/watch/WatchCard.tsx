import { useState } from "react";
import { sameJson } from "../stateChanges";
import { ChangeStrip } from "../versions/ChangeStrip";
import { ExpressionForm } from "./ExpressionForm";
import styles from "../state.module.css";
import type { StatePair } from "../statePair";
import { Value } from "../Value";
import { watched } from "./watched";

/** Values that are drawn of one expression. */
const MOST_SHOWN = 50;

interface WatchCardProps {
  readonly expression: string;
  readonly pair: StatePair;
  readonly onChange: (expression: string) => void;
  readonly onRemove: () => void;
}

/** One expression: what it selects at the cursor, and the versions that change it. */
export function WatchCard({ expression, pair, onChange, onRemove }: WatchCardProps) {
  const [isEdited, setEdited] = useState(false);
  const now = watched(expression, pair.now);
  const isReadable = "found" in now;
  return (
    <article className={styles["watch"]} aria-label={`Watch ${expression}`}>
      {isEdited ? (
        <ExpressionForm label="JSONPath" action="Save" initial={expression} onSubmit={onChange} />
      ) : (
        <header className={styles["tools"]}>
          <code className={styles["grow"]}>{expression}</code>
          {isReadable && hasChanged(expression, pair) && (
            <span className="badge accent">changed</span>
          )}
          <button
            type="button"
            className="quiet"
            aria-label={`Edit ${expression}`}
            onClick={() => {
              setEdited(true);
            }}
          >
            Edit
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${expression}`}
            onClick={onRemove}
          >
            ✕
          </button>
        </header>
      )}
      {isReadable ? (
        <>
          <Values found={now.found} />
          <ChangeStrip expression={expression} />
        </>
      ) : (
        <div className="failure" role="alert">
          <pre>
            {expression}
            {`\n${" ".repeat(now.index)}^`}
          </pre>
          <p>
            {now.error}, at character {now.index + 1}
          </p>
        </div>
      )}
    </article>
  );
}

function Values({
  found,
}: {
  found: readonly { path: string; value: Parameters<typeof Value>[0]["value"] }[];
}) {
  if (found.length === 0) return <p className={styles["note"]}>Selects nothing at this version.</p>;
  const [only] = found;
  if (found.length === 1 && only !== undefined)
    return <Value value={only.value} label={only.path} />;
  return (
    <dl className={styles["values"]}>
      {found.slice(0, MOST_SHOWN).map(({ path, value }) => (
        <div key={path}>
          <dt>{path}</dt>
          <dd>
            <Value value={value} label={path} />
          </dd>
        </div>
      ))}
      {found.length > MOST_SHOWN && <p>… {found.length - MOST_SHOWN} more values</p>}
    </dl>
  );
}

function hasChanged(expression: string, { now, before }: StatePair): boolean {
  const [after, earlier] = [watched(expression, now), watched(expression, before)];
  if (!("found" in after) || !("found" in earlier)) return false;
  return !sameJson(
    after.found.map(({ value }) => value),
    earlier.found.map(({ value }) => value),
  );
}
