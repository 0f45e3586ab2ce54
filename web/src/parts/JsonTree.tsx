import { useMemo } from "react";
import { allExpanded, JsonView } from "react-json-view-lite";
import { type Json, printExact } from "../api/exact";
import { Boundary } from "./Boundary";
import { groupEntries } from "./grouped";
import styles from "./JsonTree.module.css";
import { LongText } from "./text/LongText";

interface JsonTreeProps {
  readonly value: Json;
  readonly label: string;
  /** Levels that are open at first; null for all, of what is known to be small. */
  readonly open?: number | null;
}

const STYLE = {
  container: styles["container"] ?? "",
  basicChildStyle: styles["entry"] ?? "",
  childFieldsContainer: styles["children"] ?? "",
  label: styles["label"] ?? "",
  clickableLabel: `${styles["label"] ?? ""} ${styles["clickable"] ?? ""}`,
  nullValue: styles["null"] ?? "",
  undefinedValue: styles["null"] ?? "",
  numberValue: styles["number"] ?? "",
  stringValue: styles["text"] ?? "",
  booleanValue: styles["boolean"] ?? "",
  otherValue: styles["text"] ?? "",
  punctuation: styles["punctuation"] ?? "",
  expandIcon: styles["expand"] ?? "",
  collapseIcon: styles["collapse"] ?? "",
  collapsedContent: styles["collapsed"] ?? "",
  noQuotesForStringValues: true, // `groupEntries` quoted them
  quotesForFieldNames: false,
  stringifyStringValues: false,
  ariaLables: { collapseJson: "collapse", expandJson: "expand" },
};

/** JSON as a tree; its arrow keys go from node to node. Where it cannot be drawn, as a text. */
export function JsonTree(props: JsonTreeProps) {
  return (
    <Boundary of={props.value} fallback={() => <LongText text={printExact(props.value, 2)} />}>
      <Tree {...props} />
    </Boundary>
  );
}

function Tree({ value, label, open = 1 }: JsonTreeProps) {
  const tree = useMemo(() => groupEntries(value), [value]);
  if (typeof tree !== "object" || tree === null) {
    return <code className={styles["text"]}>{String(tree)}</code>;
  }
  return (
    <div data-own-keys="">
      <JsonView
        data={tree}
        aria-label={label}
        shouldExpandNode={open === null ? allExpanded : (level) => level < open}
        clickToExpandNode
        style={STYLE}
      />
    </div>
  );
}
