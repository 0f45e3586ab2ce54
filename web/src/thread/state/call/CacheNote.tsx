import type { Json } from "../../../api/exact";
import { count } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { DiffTree } from "../diff/DiffTree";
import { diffTree } from "../diff/difference";
import styles from "../state.module.css";
import { type ModelCall, placeOf } from "./modelCall";

/** What the request shares with the one before it: how far a cache goes, and where it breaks. */
export function CacheNote({ call: { previous, answer, messages } }: { call: ModelCall }) {
  const { go } = useCursor();
  const cached = answer?.cachedInputTokens ?? null;
  const reported = cached === null ? "" : ` · ${count(cached)} tokens cached, as reported`;
  if (previous === null) {
    return <p className={styles["note"]}>No request before it to compare{reported}</p>;
  }
  const { answeredAt, sharedMessages, changes } = previous;
  return (
    <div role="group" aria-label="Against the request before">
      <p className={styles["note"]}>
        {changes.length === 0 ? "Goes on from" : "Differs from"} the request answered at{" "}
        <button
          type="button"
          className="quiet"
          onClick={() => {
            go(answeredAt);
          }}
        >
          {answeredAt}
        </button>
        : {sharedMessages} of {previous.messages} messages come again,{" "}
        {messages.length - sharedMessages} follow{reported}
      </p>
      {changes.map(({ part, place, before, after }) => (
        <details key={`${part} ${place ?? ""}`}>
          <summary>
            <span className="badge warn">breaks the cache</span> at {placeOf(part, place)}
          </summary>
          <DiffTree node={diffTree("", before as Json, after as Json)} />
        </details>
      ))}
    </div>
  );
}
