import { Failure } from "../../../parts/Failure";
import { useCursor } from "../../cursor";
import { RunState } from "../run/RunState";
import styles from "../state.module.css";
import { useStates } from "../statePair";
import { KernelKeys } from "./KernelKeys";

/** The run's own state, and the kernel's; what the event under the cursor changed is marked. */
export function StateTab() {
  const { at } = useCursor();
  const { states, error } = useStates();
  if (error !== null) return <Failure error={error} />;
  if (states === null) return <p className="loading">Reading the state…</p>;
  const { run, kernel } = states;
  const isBelow = Object.keys({ ...run.before, ...run.now }).length > 0;
  return (
    <section aria-label={`State at version ${states.at}`} aria-busy={states.at !== at}>
      <p className={styles["note"]}>At version {states.at}. Press a key for its history.</p>
      <RunState pair={run} at={states.at} />
      <KernelKeys pair={kernel} at={states.at} isBelow={isBelow} />
    </section>
  );
}
