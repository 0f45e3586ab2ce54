import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Problem } from "../api/problem";
import { Boundary } from "../parts/Boundary";
import { Failure } from "../parts/Failure";
import { Tabs } from "../parts/Tabs";
import { Waiting } from "../parts/Waiting";
import { type Pane, PANES } from "./address";
import { useCursor } from "./cursor";
import { EventPane } from "./event/EventPane";
import { HistoryPane } from "./history/HistoryPane";
import { ONE_PANE, useNarrow } from "../app/narrow";
import { headQuery } from "./queries";
import { SideBySide } from "./SideBySide";
import { StatePane } from "./state/StatePane";
import styles from "./thread.module.css";
import { ThreadHeader } from "./ThreadHeader";
import { TravelBar } from "./travel/TravelBar";
import { useThreadCommands } from "./useThreadCommands";
import { useOpening } from "./why/opening";
import { WhyCard } from "./why/WhyCard";

const SHOWN = {
  history: { name: "History", Pane: HistoryPane },
  event: { name: "Event", Pane: EventPane },
  state: { name: "State", Pane: StatePane },
};

/** A thread at one point: its history, the event there, and the state just after it. */
export function ThreadScreen() {
  const { threadId } = useCursor();
  const { data: head, error, failureReason } = useQuery(headQuery(threadId));
  const isOpened = useOpening();
  if (head !== undefined && isOpened) return <Thread key={threadId} />;
  if (error === null) return <Waiting what="Reading…" reason={failureReason} />;
  return (
    <main className="screen">
      <Failure error={error} />
      <p>
        <Link to="/">All threads</Link>
        {error instanceof Problem && error.code === "unknown-thread" && (
          <>
            {" · "}
            <Link to="/threads/$threadId" params={{ threadId }} search={{ hidden: true }}>
              Read it, if it is hidden
            </Link>
          </>
        )}
      </p>
    </main>
  );
}

function partOf(id: Pane) {
  const { name, Pane } = SHOWN[id];
  return (
    <Part key={id} name={name.toLowerCase()}>
      <Pane />
    </Part>
  );
}

/** A part of the screen that may fail without the others; where the cursor goes on, it is tried anew. */
function Part({ name, children }: { name: string; children: ReactElement }) {
  const { at, address } = useCursor();
  const cursor = `${at} ${address.event ?? ""} ${address.state ?? ""} ${address.view ?? ""}`;
  return (
    <Boundary
      of={cursor}
      fallback={(error) => <Failure error={error} title={`The ${name} cannot be drawn`} />}
    >
      {children}
    </Boundary>
  );
}

function Thread() {
  const { address, change } = useCursor();
  const isNarrow = useNarrow(ONE_PANE);
  const chosen = address.pane ?? "history";
  useThreadCommands();
  // cards open in place, and have the room of the event's pane
  const panes = PANES.filter((id) => !(id === "event" && address.read === true));
  return (
    <main className={styles["screen"]}>
      <Part name="header">
        <ThreadHeader />
      </Part>
      <Part name="reasons">
        <WhyCard />
      </Part>
      <Part name="travel">
        <TravelBar />
      </Part>
      {isNarrow ? (
        <div className={styles["single"]}>
          <Tabs
            label="Panes"
            tabs={PANES.map((id) => ({ id, name: SHOWN[id].name }))}
            chosen={chosen}
            onChoose={(pane) => {
              change({ pane: pane === "history" ? undefined : pane });
            }}
          >
            {partOf(chosen)}
          </Tabs>
        </div>
      ) : (
        <SideBySide panes={panes.map((id) => ({ name: SHOWN[id].name, pane: partOf(id) }))} />
      )}
    </main>
  );
}
