import { VIEWS } from "../../address";
import { useCursor } from "../../cursor";
import { ItemsDiff } from "./ItemsDiff";
import styles from "../state.module.css";
import { StateDiff } from "./StateDiff";
import { ViewChoice } from "../ViewChoice";

const STATE = "state";
const CHOICES = [STATE, ...VIEWS] as const;

/** The differences between two pinned versions, or those made by the event under the cursor. */
export function ChangesTab() {
  const { address, at, a, b, change } = useCursor();
  const { view } = address;
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
            change({ view: name === STATE ? undefined : name }, { replace: true });
          }}
        />
        <Pin name="A" version={a} />
        <Pin name="B" version={b} />
      </div>
      <p className={`${styles["note"] ?? ""} ${styles["tools"] ?? ""}`}>
        <span>
          From version <b>{from}</b> to <b>{to}</b>
          {!isPinned && ": what this event changed"}
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
      {view === undefined ? (
        <StateDiff from={from} to={to} />
      ) : (
        <ItemsDiff key={view} view={view} from={from} to={to} />
      )}
    </div>
  );
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
