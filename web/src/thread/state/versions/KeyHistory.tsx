import { Failure } from "../../../parts/Failure";
import { count, counted } from "../../../parts/format";
import { useCursor } from "../../cursor";
import styles from "../state.module.css";
import type { AskedPath } from "../run/runParts";
import { ChangeList, ReadOn } from "./ChangeList";
import { useValueChanges } from "./useValueChanges";

/** The versions that changed a key of the state. */
export function KeyHistory({ name, asked }: { name: string; asked: AskedPath }) {
  const { threadId, last } = useCursor();
  const found = useValueChanges(threadId, asked, last);
  if (found.error !== null) return <Failure error={found.error} />;
  const { changes, examined, isFetching } = found;
  return (
    <div className={styles["under"]} role="group" aria-label={`History of ${name}`}>
      <p className={styles["note"]}>
        {changes.length === 0 ? "Never changed" : counted(changes.length, "change")}
        {` up to version ${count(examined)}`}
        <ReadOn found={found} />
        {isFetching && " reading…"}
      </p>
      {changes.length > 0 && <ChangeList changes={changes} />}
    </div>
  );
}
