import { useQuery } from "@tanstack/react-query";
import { accessQuery } from "../app/access";
import { Copy } from "../parts/Copy";
import type { Change } from "./address";
import { NO_FILTERS } from "./filter/filters";
import styles from "./NoThreads.module.css";

/** The ways in for a log without threads; the list shows the first thread when it comes. */
export function NoThreads() {
  const { data } = useQuery(accessQuery);
  const isKeyed = data !== undefined && !data.anonymous;
  const { origin } = location;
  return (
    <div className={styles["empty"]}>
      <h2>No threads yet</h2>
      <p>There are three ways in. What comes is shown here by itself.</p>
      <h3>1. Record an agent as it runs</h3>
      <p>Its model calls pass through a proxy on this machine; the agent stays as it is.</p>
      <Command name="record" text="agentlog record -- python agent.py" />
      <h3>2. Import what ran before, or watch where sessions are written</h3>
      <Command name="import" text="agentlog import runs/" />
      <Command name="watch" text="agentlog watch claude-code" />
      <p>
        The format is found out from the files. <code>agentlog formats</code> lists all,{" "}
        <code>--dry-run</code> shows what an import would do, <code>--to {origin}</code> sends from
        another machine.
      </p>
      <h3>3. Write from a program, or send traces</h3>
      <Command
        name="client"
        text={
          "from agentlog_client import Client\n\n" +
          `with Client("${origin}"${isKeyed ? ", key=KEY" : ""}) as client:\n` +
          '    client.append("parcel-4711", {"type": "input", "text": "Where is my parcel?"})'
        }
      />
      <Command
        name="spans"
        text={
          `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}/otlp` +
          (isKeyed ? "\nexport OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer%20KEY'" : "")
        }
      />
      {isKeyed && <p>KEY is an API key with the scope append.</p>}
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
