import { type QueryKey, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { Failure } from "../../parts/Failure";
import { Tabs } from "../../parts/Tabs";
import type { EventTab } from "../address";
import { FoundTexts } from "../../parts/text/found";
import { useCursor } from "../cursor";
import { textsOf, useHits } from "../hits";
import { EventNotes } from "../remarks/EventNotes";
import { Beginning } from "./Beginning";
import type { Recorded } from "./contents";
import styles from "./event.module.css";
import { Heading } from "./Heading";
import { JsonPanel } from "./JsonPanel";
import { Proof } from "./Proof";
import { beginningQuery } from "./queries";
import { Raw } from "./Raw";
import { Shown } from "./shown/Shown";
import { useMarkedTexts } from "./useMarkedTexts";
import { useWhole } from "./useWhole";

const TABS: readonly { id: EventTab; name: string }[] = [
  { id: "shown", name: "Shown" },
  { id: "json", name: "JSON" },
  { id: "raw", name: "Raw" },
  { id: "proof", name: "Proof" },
];

/** The event under the cursor. */
export function EventPane() {
  const { threadId, address, at, last, change } = useCursor();
  const { data, error } = useQuery({
    ...beginningQuery(threadId, at),
    // the previous event stays until this one is read, so that stepping does not flicker
    placeholderData: (before: Recorded | null | undefined, query?: { queryKey: QueryKey }) =>
      query?.queryKey[1] === threadId ? before : undefined,
  });
  const whole = useWhole(data);
  const { event, isLarge } = whole;
  const tab = address.event ?? "shown";
  const hit = useHits().of.get(event?.version ?? 0);
  const hitTexts = useMemo(() => textsOf(hit), [hit]);
  const panel = useRef<HTMLElement>(null);
  useMarkedTexts(panel, hitTexts, `${event?.id ?? ""} ${tab}`);
  const isBusy = event === undefined || event?.version !== at || whole.isFetching;
  return (
    <section ref={panel} className={styles["pane"]} aria-label="Event" aria-busy={isBusy}>
      <Heading event={event ?? null} at={at} last={last} />
      <Tabs
        label="Event"
        tabs={TABS}
        chosen={tab}
        onChoose={(id) => {
          change({ event: id === "shown" ? undefined : id });
        }}
      >
        {(error ?? whole.error) !== null && <Failure error={error ?? whole.error} />}
        {event === undefined && error === null && <p className="loading">Loading…</p>}
        {event === null && <p>The log has no event of version {at}.</p>}
        {event !== undefined && event !== null && (
          <>
            <Notes event={event} />
            {isLarge && tab !== "proof" && <Beginning of={whole} />}
            {tab === "shown" && (
              <>
                <FoundTexts value={hitTexts}>
                  <Shown key={event.id} event={event} />
                </FoundTexts>
                <EventNotes version={event.version} />
              </>
            )}
            {tab === "json" && <JsonPanel event={event} />}
            {tab === "raw" && <Raw event={event} isLarge={isLarge} />}
            {tab === "proof" && <Proof key={event.id} event={event} />}
          </>
        )}
      </Tabs>
    </section>
  );
}

function Notes({ event }: { event: Recorded }) {
  return (
    <>
      {event.redactedBy !== null && (
        <p className={styles["note"]}>
          The contents were erased by version {event.redactedBy}. Type, time, ids and figures
          remain.
        </p>
      )}
      {event.lost !== null && (
        <p className={styles["note"]} role="alert">
          The log has lost contents: {event.lost}
        </p>
      )}
      {"unreadable" in event.message && (
        <p className={styles["note"]} role="alert">
          These bytes are no JSON. They are shown in hexadecimal.
        </p>
      )}
    </>
  );
}
