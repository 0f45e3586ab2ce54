import { queryOptions, useQuery } from "@tanstack/react-query";
import { fetchWithKey } from "../../../api/client";
import { type Json, parseExact } from "../../../api/exact";
import { Failure } from "../../../parts/Failure";
import type { ViewName } from "../../address";
import { useCursor } from "../../cursor";
import { DiffTree } from "./DiffTree";
import { diffTree } from "./difference";
import { ItemList } from "../ItemList";
import { type ItemChange, itemChanges, type ItemsDifference } from "./itemChanges";
import styles from "../state.module.css";

interface ItemsDiffProps {
  readonly view: ViewName;
  readonly from: number;
  readonly to: number;
}

function differenceQuery(threadId: string, { view, from, to }: ItemsDiffProps) {
  return queryOptions({
    queryKey: ["difference", threadId, view, from, to],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/diff?view=${view}&from=${from}&to=${to}`;
      const response = await fetchWithKey(path, { signal });
      return itemChanges(parseExact(await response.text()) as unknown as ItemsDifference);
    },
  });
}

/** The items of a view that differ between two versions. */
export function ItemsDiff(props: ItemsDiffProps) {
  const { threadId } = useCursor();
  const { data, error } = useQuery(differenceQuery(threadId, props));
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <p className="loading">Comparing…</p>;
  if (data.length === 0)
    return <p className={styles["note"]}>The view {props.view} is the same.</p>;
  return (
    <ItemList label={`Differences of ${props.view}`} count={data.length}>
      {(index) => <ChangedItem change={data[index]} />}
    </ItemList>
  );
}

const BADGES = { added: "ok", removed: "bad", changed: "accent" };

function ChangedItem({ change }: { change: ItemChange | undefined }) {
  if (change === undefined) return null;
  return (
    <div className={styles["item"]}>
      <div className={styles["grow"]}>
        <p className={styles["note"]}>
          <span className={`badge ${BADGES[change.kind]}`}>{change.kind}</span> at {change.place}
        </p>
        <DiffTree node={nodeOf(change)} />
      </div>
    </div>
  );
}

function nodeOf(change: ItemChange) {
  if (change.kind === "changed") return diffTree("", change.before, change.after);
  return { kind: change.kind, key: "", value: change.item satisfies Json } as const;
}
