import { Popover } from "../../parts/Popover";
import type { Change } from "../address";
import { type Column, COLUMNS, metadataColumn, toggleColumn, USUAL } from "./columns";
import styles from "./ColumnPicker.module.css";

interface ColumnPickerProps {
  readonly chosen: readonly string[] | undefined;
  readonly change: Change;
  /** Keys of metadata that threads have. */
  readonly keys: readonly string[];
}

/** Which columns the list has; each key of metadata may be one. */
export function ColumnPicker({ chosen = USUAL, change, keys }: ColumnPickerProps) {
  const picked = chosen.filter((id) => id.startsWith("metadata."));
  const offered = [...new Set([...keys.map((key) => metadataColumn(key).id), ...picked])];
  const box = ({ id, name, title }: Column) => (
    <label key={id} title={title}>
      <input
        type="checkbox"
        checked={chosen.includes(id)}
        onChange={() => {
          change({ columns: toggleColumn(id, chosen) }, { replace: true });
        }}
      />
      <span>{name}</span>
    </label>
  );
  return (
    <Popover label="Columns">
      <fieldset className={styles["columns"]}>
        <legend>Metadata</legend>
        {offered.map((id) => box(metadataColumn(id.slice("metadata.".length))))}
        {offered.length === 0 && <small>No thread of this list has metadata.</small>}
      </fieldset>
      <fieldset className={styles["columns"]}>
        <legend>Columns</legend>
        {COLUMNS.filter(({ id }) => id !== "threadId").map(box)}
      </fieldset>
      <button
        type="button"
        onClick={() => {
          change({ columns: undefined }, { replace: true });
        }}
      >
        Usual columns
      </button>
    </Popover>
  );
}
