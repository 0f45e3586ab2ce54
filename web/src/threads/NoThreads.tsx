import { useQuery } from "@tanstack/react-query";
import { accessQuery } from "../app/access";
import { Copy } from "../parts/Copy";
import type { Change } from "./address";
import { NO_FILTERS } from "./filter/filters";
import styles from "./NoThreads.module.css";

/** Instructions for a log without threads; the list shows the first thread when it comes. */
export function NoThreads() {
  const { data } = useQuery(accessQuery);
  const key = data === undefined || data.anonymous ? "" : `-H "Authorization: Bearer $KEY" `;
  return (
    <div className={styles["empty"]}>
      <h2>No threads yet</h2>
      <p>Append messages, or import histories. They come up here by themselves.</p>
      <h3>Append two messages to a new thread</h3>
      <Command
        name="append"
        text={
          `curl ${key}${location.origin}/v1/threads/parcel-4711/messages -d '[\n` +
          `  {"type": "input", "text": "Where is my parcel?"},\n` +
          `  {"type": "tool_calls", "calls": [\n` +
          `    {"id": "call_1", "name": "track", "args": {"parcel": 4711}}]}\n]'`
        }
      />
      {key !== "" && <p>KEY is an API key with the scope append.</p>}
      <h3>Import files or folders, where the service runs</h3>
      <Command name="import" text="agentlog import runs/" />
      <p>
        The format is found out from the files: chats of OpenAI and others, sessions of coding
        agents, logs of evaluations, traces. <code>agentlog formats</code> lists all,{" "}
        <code>--dry-run</code> shows what an import would do.
      </p>
      <h3>Follow the sessions of a coding agent</h3>
      <Command name="watch" text="agentlog watch claude-code" />
      <h3>Send spans of OpenTelemetry</h3>
      <Command
        name="spans"
        text={
          `export OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin}/otlp` +
          (key === "" ? "" : "\nexport OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer%20KEY'")
        }
      />
      <h3>Or see examples first</h3>
      <Command name="demo" text="agentlog demo" />
    </div>
  );
}

function Command({ name, text }: { name: string; text: string }) {
  return (
    <div className={styles["command"]}>
      <pre aria-label={`Command: ${name}`}>{text}</pre>
      <Copy text={text} />
    </div>
  );
}

interface NoMatchProps {
  /** Text that was looked for in goals and ids. */
  readonly q: string | undefined;
  readonly change: Change;
}

/** Shown where no thread passes the filters. */
export function NoMatch({ q, change }: NoMatchProps) {
  return (
    <div className={styles["empty"]}>
      <h2>No thread matches</h2>
      <p>
        {q === undefined ? "No thread matches all of these filters." : `No goal or id has “${q}”.`}
      </p>
      <p className={styles["actions"]}>
        {q !== undefined && (
          <button
            type="button"
            className="primary"
            onClick={() => {
              change({ ...NO_FILTERS, find: q });
            }}
          >
            Search contents for “{q}”
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            change(NO_FILTERS);
          }}
        >
          Show all threads
        </button>
      </p>
    </div>
  );
}
