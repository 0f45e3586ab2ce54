import { Failure } from "../../../parts/Failure";
import { count, countOf } from "../../../parts/format";
import { useCursor } from "../../cursor";
import styles from "../state.module.css";
import type { StatePath } from "../run/runParts";
import { ChangeList, ReadOn } from "./ChangeList";
import { useValueChanges } from "./useValueChanges";

/** The versions that changed a key of the state. */
export function KeyHistory({ name, path }: { name: string; path: StatePath }) {
  const { threadId, last } = useCursor();
  const history = useValueChanges(threadId, path, last);
  if (history.error !== null) return <Failure error={history.error} />;
  const { changes, examined, isFetching } = history;
  return (
    <div className={styles["under"]} role="group" aria-label={`History of ${name}`}>
      <p className={styles["note"]}>
        {changes.length === 0 ? "Never changed" : countOf(changes.length, "change")}
        {` up to version ${count(examined)}`}
        <ReadOn history={history} />
        {isFetching && " reading…"}
      </p>
      {changes.length > 0 && <ChangeList changes={changes} />}
    </div>
  );
}
