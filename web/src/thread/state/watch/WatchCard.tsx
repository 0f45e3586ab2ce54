import { useState } from "react";
import { sameJson } from "../stateChanges";
import { ChangeStrip } from "../versions/ChangeStrip";
import { ExpressionForm } from "./ExpressionForm";
import styles from "../state.module.css";
import type { StatePair } from "../statePair";
import { Value } from "../Value";
import { select } from "./watched";

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
  const now = select(expression, pair.now);
  const isReadable = "matches" in now;
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
          <Values matches={now.matches} />
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
  matches,
}: {
  matches: readonly { path: string; value: Parameters<typeof Value>[0]["value"] }[];
}) {
  if (matches.length === 0)
    return <p className={styles["note"]}>Selects nothing at this version.</p>;
  const [only] = matches;
  if (matches.length === 1 && only !== undefined)
    return <Value value={only.value} label={only.path} />;
  return (
    <dl className={styles["values"]}>
      {matches.slice(0, MOST_SHOWN).map(({ path, value }) => (
        <div key={path}>
          <dt>{path}</dt>
          <dd>
            <Value value={value} label={path} />
          </dd>
        </div>
      ))}
      {matches.length > MOST_SHOWN && <p>… {matches.length - MOST_SHOWN} more values</p>}
    </dl>
  );
}

function hasChanged(expression: string, { now, before }: StatePair): boolean {
  const [after, earlier] = [select(expression, now), select(expression, before)];
  if (!("matches" in after) || !("matches" in earlier)) return false;
  return !sameJson(
    after.matches.map(({ value }) => value),
    earlier.matches.map(({ value }) => value),
  );
}
