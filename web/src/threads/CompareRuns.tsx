import { Link } from "@tanstack/react-router";
import { Popover } from "../parts/Popover";
import styles from "./CompareRuns.module.css";

/** Leads to the comparison of all runs of each task, by the key of metadata that names the task. */
export function CompareRuns({ keys }: { keys: readonly string[] }) {
  if (keys.length === 0) return null;
  return (
    <Popover label="Compare runs of a task">
      <div className={styles["keys"]}>
        <p>Which metadata names the task?</p>
        {keys.map((key) => (
          <Link key={key} to="/compare" search={{ by: key }} className="button">
            {key}
          </Link>
        ))}
      </div>
    </Popover>
  );
}
