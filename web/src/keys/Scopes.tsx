import type { Scope } from "../app/access";
import { keysOf } from "../app/address";
import styles from "./keys.module.css";

/** What each scope allows, in the order of the form. */
const ALLOWS: Readonly<Record<Scope, string>> = {
  read: "threads, views, the log, reports, proofs",
  append: "messages, facts of threads, files",
  redact: "erase contents",
  admin: "keys, accesses, projections, metrics",
  metrics: "/metrics, for scrapers",
};
const SCOPES = keysOf(ALLOWS);

interface ScopesProps {
  readonly chosen: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}

/** What a key may do. */
export function Scopes({ chosen, onChange }: ScopesProps) {
  return (
    <fieldset className={styles["scopes"]}>
      <legend>Scopes: none includes another</legend>
      {SCOPES.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ target }) => {
              const others = chosen.filter((other) => other !== scope);
              onChange(target.checked ? [...others, scope] : others);
            }}
          />{" "}
          {scope} <small>{ALLOWS[scope]}</small>
        </label>
      ))}
    </fieldset>
  );
}
