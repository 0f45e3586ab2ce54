import { VIEWS } from "../../address";
import { useCursor } from "../../cursor";
import { EventsDiff } from "./EventsDiff";
import { ItemsDiff } from "./ItemsDiff";
import styles from "../state.module.css";
import { StateDiff } from "./StateDiff";
import { ViewChoice } from "../ViewChoice";

const STATE = "state";
const CHOICES = [STATE, ...VIEWS] as const;

/**
 * The differences between two pinned versions, or those made by the event under the cursor: of what
 * lies between them, or of the two events.
 */
export function ChangesTab() {
  const { address, at, a, b, change } = useCursor();
  const { view, events: ofEvents = false } = address;
  const from = a ?? (b === undefined ? at - 1 : at);
  const to = b ?? at;
  const isPinned = a !== undefined || b !== undefined;
  return (
    <div className={styles["panel"]}>
      <div className={styles["tools"]}>
        <ViewChoice
          views={CHOICES}
          chosen={view ?? STATE}
          onChoose={(name) => {
            const chosen = name === STATE ? undefined : name;
            change({ view: chosen, events: undefined }, { replace: true });
          }}
        />
        <button
          type="button"
          aria-pressed={ofEvents}
          title="What the two events differ in, not what lies between them"
          onClick={() => {
            change({ events: ofEvents ? undefined : true }, { replace: true });
          }}
        >
          Events
        </button>
        <Pin name="A" version={a} />
        <Pin name="B" version={b} />
      </div>
      <p className={`${styles["note"] ?? ""} ${styles["tools"] ?? ""}`}>
        <span>
          From version <b>{from}</b> to <b>{to}</b>
          {!isPinned &&
            `: ${ofEvents ? "the event before, and this one" : "what this event changed"}`}
        </span>
        <button
          type="button"
          className="quiet"
          disabled={!isPinned}
          onClick={() => {
            change({ a: to, b: from }, { replace: true });
          }}
        >
          Swap
        </button>
        <button
          type="button"
          className="quiet"
          disabled={!isPinned}
          onClick={() => {
            change({ a: undefined, b: undefined }, { replace: true });
          }}
        >
          Clear
        </button>
      </p>
      <Differences {...{ from, to }} />
    </div>
  );
}

function Differences({ from, to }: { from: number; to: number }) {
  const { view, events } = useCursor().address;
  if (events === true) return <EventsDiff from={from} to={to} />;
  if (view === undefined) return <StateDiff from={from} to={to} />;
  return <ItemsDiff key={view} view={view} from={from} to={to} />;
}

function Pin({ name, version }: { name: "A" | "B"; version: number | undefined }) {
  const { at, change, go } = useCursor();
  return (
    <span className={styles["pin"]}>
      <button
        type="button"
        title={`Pin ${name} at version ${at} (${name === "A" ? "[" : "]"})`}
        onClick={() => {
          change(name === "A" ? { a: at } : { b: at }, { replace: true });
        }}
      >
        Pin {name} here
      </button>
      {version !== undefined && (
        <button
          type="button"
          className="quiet"
          disabled={version < 1}
          title={`Go to version ${version}`}
          onClick={() => {
            go(version);
          }}
        >
          {name} = {version}
        </button>
      )}
    </span>
  );
}
