import { cost, count, countOf, duration } from "../../../parts/format";
import { Words } from "../../../parts/Words";
import type { Group } from "../groups/groups";
import styles from "../history.module.css";

interface GroupRowProps {
  readonly group: Group;
  readonly isOpen: boolean;
  readonly isCurrent: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
}

/** The head of a group: the event that begins it, and what all inside comes to. */
export function GroupRow({ group, isOpen, isCurrent, onToggle, onChoose }: GroupRowProps) {
  const { name, version, events, open, elapsedMs, costUsd } = group;
  const tokens = (group.inputTokens ?? 0) + (group.outputTokens ?? 0);
  const figures = [
    countOf(events, "event"),
    elapsedMs === null ? "" : duration(elapsedMs),
    tokens === 0 ? "" : `${count(tokens)} tokens`,
    costUsd === null ? "" : cost(costUsd, group.computedCalls),
  ];
  return (
    <div className={`${styles["event"] ?? ""} ${styles["group"] ?? ""}`} aria-current={isCurrent}>
      <span className={styles["version"]}>{version}</span>
      <button
        type="button"
        className={styles["toggle"]}
        aria-expanded={isOpen}
        aria-label={`${isOpen ? "Fold" : "Open"} ${name}`}
        onClick={onToggle}
      >
        {isOpen ? "▾" : "▸"}
      </button>
      <button
        type="button"
        className={`${styles["what"] ?? ""} ${styles["choose"] ?? ""}`}
        tabIndex={isCurrent ? 0 : -1}
        onClick={onChoose}
      >
        <bdi className={styles["name"]}>{name}</bdi>{" "}
        <span className={styles["said"]}>{figures.filter((text) => text !== "").join(" · ")}</span>
      </button>
      <Words of={group} />
      {open && <span className="badge">not ended</span>}
    </div>
  );
}
