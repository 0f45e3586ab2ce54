import { useEffect, useMemo, useState } from "react";
import { useShortcuts } from "../../app/keyboard";
import { count } from "../../parts/format";
import { useCursor } from "../cursor";
import { useHits } from "../hits";
import { CardList } from "../reading/CardList";
import { WORDS } from "../timeline/span";
import { type ThreadTimeline, useTimeline } from "../timeline/timeline";
import { EventList } from "./EventList";
import { Filters } from "./Filters";
import { Find } from "./Find";
import { CARD_FOLDS, DEFAULT_FOLDS } from "./folding";
import { Folds } from "./Folds";
import { type ShownGroups, useGroups } from "./groups/useGroups";
import styles from "./history.module.css";
import { foldsIn, Rows, versionsOf } from "./rows";

const PATIENCE_MS = 400;
const LONG = 5000;
const NONE: ReadonlySet<string> = new Set();

/** The thread's events from the first to the last. */
export function HistoryPane() {
  const { last, address, change } = useCursor();
  const { only, fold, read } = address;
  const timeline = useTimeline();
  const hits = useHits();
  const hasWaited = usePatience() || last > LONG;
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const grouping = useGroups();
  const { groups, closed } = grouping;
  const isComplete = timeline.isComplete && (!grouping.isPending || hasWaited);
  const known = isComplete ? timeline : null; // folding needs all types
  const folds = useMemo(() => foldsIn(fold, read ? CARD_FOLDS : DEFAULT_FOLDS), [fold, read]);
  const versions = useMemo(
    () => versionsOf(timeline, { only, hits: hits.versions }),
    [timeline, only, hits.versions],
  );
  const rows = useMemo(
    () =>
      new Rows({
        last,
        only: versions?.filter((version) => version <= last) ?? null,
        folds: known === null ? NONE : folds,
        unfolded,
        typeOf: (version) => known?.typeOf(version) ?? null,
        isNotable: (version) =>
          known !== null &&
          (WORDS.some((word) => known.has(word, version)) || known.isOpen(version)),
        ...(!read && { groups, closed }),
        ...(read && known !== null && { drawnWith: (version) => known.callerOf(version) }),
      }),
    [last, versions, folds, unfolded, known, read, groups, closed],
  );
  const List = read ? CardList : EventList;
  return (
    <section className={styles["pane"]} aria-label="History">
      <Toolbar {...{ timeline, hits, folds, groups: grouping }} />
      {hits.error !== null && (
        <p className={styles["note"]} role="alert">
          {hits.error.message}
        </p>
      )}
      {grouping.error !== null && (
        <p className={styles["note"]} role="alert">
          Groups are not known: {grouping.error.message}
        </p>
      )}
      {versions !== null && (
        <p className={styles["note"]} role="status">
          {count(rows.length)} of {count(last)} events
          <button
            type="button"
            className="quiet"
            onClick={() => {
              change({ only: undefined });
            }}
          >
            Show all
          </button>
        </p>
      )}
      {!isComplete && hasWaited && (
        <p className={styles["note"]} role="status">
          Reading {count(timeline.loadedTo)} of {count(last)}: folds and marks follow
        </p>
      )}
      {(isComplete || hasWaited) && (
        <List
          rows={rows}
          timeline={timeline}
          hits={hits}
          onToggle={(first) => {
            setUnfolded((before) => before.symmetricDifference(new Set([first])));
          }}
          onToggleGroup={grouping.toggle}
        />
      )}
    </section>
  );
}

interface ToolbarProps {
  readonly timeline: ThreadTimeline;
  readonly hits: ReturnType<typeof useHits>;
  readonly folds: ReadonlySet<string>;
  readonly groups: ShownGroups;
}

/** What chooses the events, and how they are shown. */
function Toolbar({ timeline, hits, folds, groups }: ToolbarProps) {
  const { address, change } = useCursor();
  const isReading = address.read === true;
  const toggle = (): void => {
    change({ read: isReading ? undefined : true });
  };
  useShortcuts("History", [{ key: "r", does: "read as cards, or list", run: toggle }]);
  return (
    <div className={styles["toolbar"]}>
      <Find timeline={timeline} hits={hits} />
      <Filters timeline={timeline} hits={hits} />
      <Folds
        {...{ folds, timeline, groups }}
        onChange={(chosen) => {
          change({ fold: chosen.join() }, { replace: true });
        }}
      />
      <button
        type="button"
        aria-pressed={isReading}
        title="As cards to read, or as a list (r)"
        onClick={toggle}
      >
        Read
      </button>
    </div>
  );
}

/** False at first, for a moment: most timelines are complete by then, and rows are drawn once. */
function usePatience(): boolean {
  const [hasWaited, setWaited] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setWaited(true);
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return hasWaited;
}
