import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import styles from "../state.module.css";
import { StateKeyRow } from "./StateKeyRow";
import { stateKeys } from "../stateChanges";
import { useStatePair } from "../statePair";

/** The state's keys and values; what the event under the cursor changed is marked. */
export function StateKeys() {
  const { at, change } = useCursor();
  const { pair, error } = useStatePair();
  if (error !== null) return <Failure error={error} />;
  if (pair === null) return <p className="loading">Reading the state…</p>;
  const keys = stateKeys(pair.before, pair.now).filter(({ key }) => key !== "history");
  const changed = keys.filter((each) => each.change !== null).length;
  return (
    <section aria-label={`State at version ${pair.at}`} aria-busy={pair.at !== at}>
      <p className={styles["note"]}>
        {changed === 0
          ? `Version ${pair.at} changed nothing`
          : `Version ${pair.at} changed ${changed}`}{" "}
        of {keys.length} keys. Press a key for its history.
      </p>
      <ul className={styles["keys"]}>
        {keys.map((each) => (
          <StateKeyRow key={each.key} entry={each} at={pair.at} />
        ))}
        {"history" in pair.now && (
          <li className={styles["key"]}>
            <span className={styles["name"]}>history</span>
            <div className={styles["value"]}>
              <button
                type="button"
                className="quiet"
                onClick={() => {
                  change({ state: "model" }, { replace: true });
                }}
              >
                Shown in “Sent to model”
              </button>
            </div>
          </li>
        )}
      </ul>
    </section>
  );
}
