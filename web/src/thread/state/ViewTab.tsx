import { printExact } from "../../api/exact";
import { Copy } from "../../parts/Copy";
import { Failure } from "../../parts/Failure";
import { countOf } from "../../parts/format";
import { JsonTree } from "../../parts/JsonTree";
import { VIEWS } from "../address";
import { useCursor } from "../cursor";
import { AtVersion } from "./AtVersion";
import { ItemList } from "./ItemList";
import styles from "./state.module.css";
import { useTail, wholeText } from "./useTail";
import { ViewChoice } from "./ViewChoice";

/** Any view of the thread at the cursor, item by item. */
export function ViewTab() {
  const { threadId, address, at, change } = useCursor();
  const view = address.view ?? "openai";
  const { tail, first, error, earlier } = useTail(view);
  const shownAt = tail?.at ?? at;
  return (
    <AtVersion version={error === null ? tail?.at : at}>
      <div className={styles["tools"]}>
        <ViewChoice
          views={VIEWS}
          chosen={view}
          onChoose={(name) => {
            change({ view: name }, { replace: true });
          }}
        />
        <span className={styles["note"]}>
          {tail !== undefined &&
            `${tail.after > 0 ? "last " : ""}${countOf(tail.items.length, "item")}`}
        </span>
        <Copy text={() => wholeText(threadId, view, shownAt)}>Copy all</Copy>
      </div>
      {error !== null && <Failure error={error} />}
      {tail?.items.length === 0 && tail.after === 0 && (
        <p className={styles["note"]}>
          {view === "anomalies" ? "No rule is broken." : "Nothing yet."}
        </p>
      )}
      {tail !== undefined && (
        <ItemList
          key={view}
          label={`Items of ${view}`}
          count={tail.items.length}
          tail={{ first, hasEarlier: tail.after > 0, onEarlier: earlier }}
        >
          {(index) => {
            const item = tail.items[index];
            if (item === undefined) return null;
            return (
              <div className={styles["item"]}>
                <JsonTree value={item} label={`Item ${index + 1}`} open={2} />
                <Copy text={() => printExact(item, 2)} />
              </div>
            );
          }}
        </ItemList>
      )}
    </AtVersion>
  );
}
