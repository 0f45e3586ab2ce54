import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useLocation } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Failure } from "../../parts/Failure";
import { LONGEST_SQL } from "../address";
import { Editor } from "./Editor";
import { EXAMPLES } from "./examples";
import { tablesQuery } from "../queries";
import { ask, QueryRefused } from "./sql";
import styles from "./sql.module.css";
import { SqlAnswer } from "./SqlAnswer";
import { Tables } from "./Tables";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** When the reader ran the statement; a link from elsewhere shows it without running it. */
    ran?: number;
    /** The statement, where the address is too short for it. */
    sql?: string;
  }
}

const route = getRouteApi("/sql");

/** SQL over the read models: a statement, its answer, and the tables it may be about. */
export function SqlScreen() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { ran, sql: long } = useLocation({ select: ({ state }) => state });
  const asked = long ?? address.sql ?? "";
  const [changed, setChanged] = useState({ from: asked, to: asked });
  const draft = changed.from === asked ? changed.to : asked;
  const setDraft = (to: string): void => {
    setChanged({ from: asked, to });
  };
  const editor = useRef<{ insert: (text: string) => void }>(null);
  const { data: catalogue, error: unknown } = useQuery(tablesQuery);
  const { data, error, isFetching } = useQuery({
    queryKey: ["sql", asked, ran],
    enabled: ran !== undefined && asked !== "",
    retry: false,
    queryFn: ({ signal }) => ask(asked, signal),
  });
  const isCurrent = draft === asked;
  const run = (): void => {
    if (draft.trim() === "") return;
    const isLong = draft.length > LONGEST_SQL;
    void navigate({
      search: (before) => ({ ...before, sql: isLong ? undefined : draft }) as object,
      state: isLong ? { ran: Date.now(), sql: draft } : { ran: Date.now() },
      replace: isCurrent,
    });
  };
  const place = error instanceof QueryRefused && isCurrent ? error.place : null;
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
            wrong={place}
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
          <label>
            Example{" "}
            <select
              value=""
              onChange={({ target }) => {
                const found = EXAMPLES.find(({ title }) => title === target.value);
                if (found !== undefined) setDraft(found.sql);
              }}
            >
              <option value="">Choose…</option>
              {EXAMPLES.map(({ title }) => (
                <option key={title}>{title}</option>
              ))}
            </select>
          </label>
          {draft.length > LONGEST_SQL && (
            <small>Too long for the address: it cannot be shared as a link.</small>
          )}
          {isFetching && <small role="status">Asking…</small>}
        </div>
        <div className={styles["below"]}>
          {unknown !== null && <Failure error={unknown} />}
          {error !== null && <Failure error={error} />}
          {data !== undefined && <SqlAnswer sql={asked} answer={data} isOld={!isCurrent} />}
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
