import { Popover } from "../../parts/Popover";
import { type Fold, FOLDS } from "../address";
import styles from "./history.module.css";

const SAYS: Record<Fold, string> = {
  reasoning: "Reasoning",
  log: "Logs and ticks",
  model: "Model calls and responses",
  machinery: "Spans, state and sandbox of Inspect",
  facts: "Facts of the thread",
  scratchpad: "Scratchpad",
};

interface FoldsProps {
  readonly folds: ReadonlySet<Fold>;
  readonly onChange: (folds: Fold[]) => void;
}

/** The menu of what is folded away. */
export function Folds({ folds, onChange }: FoldsProps) {
  return (
    <Popover label={`Fold ${folds.size}`}>
      {FOLDS.map((fold) => (
        <label key={fold} className={styles["choice"]}>
          <input
            type="checkbox"
            checked={folds.has(fold)}
            onChange={({ target }) => {
              onChange(FOLDS.filter((each) => (each === fold ? target.checked : folds.has(each))));
            }}
          />
          {SAYS[fold]}
        </label>
      ))}
      <p className={styles["unfolded"]}>What failed, is suspected or open is never folded.</p>
    </Popover>
  );
}
