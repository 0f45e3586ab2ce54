import { useMemo } from "react";
import { count } from "../../parts/format";
import { nameOf } from "../../parts/kinds";
import { Popover } from "../../parts/Popover";
import { type Fold, FOLDS } from "../address";
import type { ThreadTimeline } from "../timeline/timeline";
import { foldOf } from "./folding";
import type { ShownGroups } from "./groups/useGroups";
import styles from "./history.module.css";

const SAYS: Record<Fold, string> = {
  reasoning: "Reasoning",
  log: "Logs and ticks",
  model: "Model calls and responses",
  machinery: "Spans, states, settings, sandbox",
  facts: "Facts of the thread",
  scratchpad: "Scratchpad",
};

interface FoldsProps {
  /** Kinds of types, and types by themselves. */
  readonly folds: ReadonlySet<string>;
  readonly timeline: ThreadTimeline;
  readonly groups: ShownGroups;
  readonly onChange: (folds: string[]) => void;
}

/** The menu of what is folded away. */
export function Folds(props: FoldsProps) {
  return (
    <Popover label={`Fold ${props.folds.size}`}>
      <Choices {...props} />
    </Popover>
  );
}

function Choices({ folds, timeline, groups, onChange }: FoldsProps) {
  const types = useMemo(() => timeline.types(), [timeline]);
  const change = (fold: string, isChosen: boolean): void => {
    const others = [...folds].filter((other) => other !== fold);
    onChange(isChosen ? [...others, fold] : others);
  };
  const own = types.filter(([type]) => foldOf(type) === null);
  return (
    <>
      {FOLDS.map((fold) => {
        const events = types.filter(([type]) => foldOf(type) === fold).map(([, events]) => events);
        const total = events.reduce((sum, some) => sum + some, 0);
        return <Choice key={fold} {...{ fold, folds, total, change }} name={SAYS[fold]} />;
      })}
      <div className={styles["types"]} role="group" aria-label="Types">
        {own.map(([type, total]) => (
          <Choice key={type} {...{ folds, total, change }} fold={type} name={nameOf(type)} />
        ))}
      </div>
      {groups.groups.list.length > 0 && (
        <p className={styles["groups"]}>
          {count(groups.groups.list.length)} groups of events{" "}
          <button type="button" className="quiet" onClick={groups.closeAll}>
            Fold
          </button>
          <button type="button" className="quiet" onClick={groups.openAll}>
            Open
          </button>
        </p>
      )}
      <p className={styles["unfolded"]}>What failed, is suspected or open is never folded.</p>
    </>
  );
}

interface ChoiceProps {
  readonly fold: string;
  readonly name: string;
  readonly folds: ReadonlySet<string>;
  /** Events that it folds away. */
  readonly total: number;
  readonly change: (fold: string, isChosen: boolean) => void;
}

function Choice({ fold, name, folds, total, change }: ChoiceProps) {
  return (
    <label className={styles["choice"]} title={fold}>
      <input
        type="checkbox"
        checked={folds.has(fold)}
        onChange={({ target }) => {
          change(fold, target.checked);
        }}
      />
      {name} <small>{count(total)}</small>
    </label>
  );
}
