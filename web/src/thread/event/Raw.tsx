import { useQuery } from "@tanstack/react-query";
import { Code } from "../../parts/text/Code";
import { Copy } from "../../parts/Copy";
import { download } from "../../parts/download";
import { Failure } from "../../parts/Failure";
import { LongText } from "../../parts/text/LongText";
import { useCursor } from "../cursor";
import { bytesIn, textOf } from "./texts";
import type { Recorded } from "./contents";
import styles from "./event.module.css";
import { chainQuery } from "./queries";

/** Longer texts are drawn where they are looked at, and not coloured. */
const LONGEST = 30_000;

/** The message byte for byte, as the log keeps and chains it. */
export function Raw({ event, isLarge }: { event: Recorded; isLarge: boolean }) {
  const { threadId } = useCursor();
  const { data, error } = useQuery({
    ...chainQuery(threadId, event.version),
    enabled: !isLarge,
    select: (chained) => (chained?.body == null ? null : textOf(bytesIn(chained.body))),
  });
  if (isLarge) return null;
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <p className="loading">Loading…</p>;
  if (data === null) return <p>These bytes are erased. JSON shows what remains.</p>;
  return (
    <>
      <div className={styles["tools"]}>
        <Copy text={data} />
        <button
          type="button"
          className="quiet"
          onClick={() => {
            download(`${threadId}-${event.version}.json`, new Blob([data]));
          }}
        >
          Download
        </button>
      </div>
      {data.length <= LONGEST ? <Code text={data} language="json" /> : <LongText text={data} />}
    </>
  );
}
