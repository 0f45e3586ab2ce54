import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { Failure } from "../../parts/Failure";
import { useTitle } from "../../parts/useTitle";
import { LONGEST_SQL } from "../address";
import { tablesQuery } from "../queries";
import { Editor } from "./Editor";
import { EXAMPLES } from "./examples";
import styles from "./sql.module.css";
import { SqlAnswer } from "./SqlAnswer";
import { Tables } from "./Tables";
import { useStatement } from "./useStatement";

/** SQL over the read models: a statement, its answer, and the tables it may be about. */
export function SqlScreen() {
  useTitle("SQL");
  const { draft, setDraft, statement, isCurrent, run, answer, position } = useStatement();
  const editor = useRef<{ insert: (text: string) => void }>(null);
  const { data: catalogue, error: unknown } = useQuery(tablesQuery);
  const { data, error, isFetching } = answer;
  return (
    <main className={`screen ${styles["console"] ?? ""}`}>
      <h1 className="hidden">SQL</h1>
      <Tables tables={catalogue?.items ?? []} onInsert={(name) => editor.current?.insert(name)} />
      <section>
        {catalogue !== undefined && (
          <Editor
            ref={editor}
            text={draft}
            tables={catalogue.items}
            wrong={position}
            onChange={setDraft}
            onRun={run}
          />
        )}
        <div className={styles["tools"]}>
          <button type="button" className="primary" title="Ctrl Enter" onClick={run}>
            Run
          </button>
          <small>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </small>
          <Examples onChoose={setDraft} />
          {draft.length > LONGEST_SQL && (
            <small>Too long for the address: it cannot be shared as a link.</small>
          )}
          {isFetching && <small role="status">Asking…</small>}
        </div>
        <div className={styles["below"]}>
          {unknown !== null && <Failure error={unknown} />}
          {error !== null && <Failure error={error} />}
          {data !== undefined && <SqlAnswer sql={statement} answer={data} isOld={!isCurrent} />}
          {data === undefined && error === null && !isFetching && (
            <p className={styles["start"]}>
              One SELECT over the tables on the left, which cannot change anything. The first 1,000
              rows are shown.
            </p>
          )}
        </div>
      </section>
    </main>
  );
}

/** Statements to begin with. */
function Examples({ onChoose }: { onChoose: (sql: string) => void }) {
  return (
    <label>
      Example{" "}
      <select
        value=""
        onChange={({ target }) => {
          const example = EXAMPLES.find(({ title }) => title === target.value);
          if (example !== undefined) onChoose(example.sql);
        }}
      >
        <option value="">Choose…</option>
        {EXAMPLES.map(({ title }) => (
          <option key={title}>{title}</option>
        ))}
      </select>
    </label>
  );
}
