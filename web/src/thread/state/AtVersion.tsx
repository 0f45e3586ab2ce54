import type { ReactNode } from "react";
import { useCursor } from "../cursor";
import styles from "./state.module.css";

interface AtVersionProps {
  /**
   * The version that the children were read for, undefined until they are. The cursor may stand
   * elsewhere already.
   */
  readonly version: number | undefined;
  readonly children: ReactNode;
}

/** A panel that says for which version it draws what it draws. */
export function AtVersion({ version, children }: AtVersionProps) {
  const { at } = useCursor();
  const label = `At version ${version ?? at}`;
  return (
    <section className={styles["panel"]} aria-label={label} aria-busy={version !== at}>
      <p className={styles["note"]}>{label}</p>
      {children}
    </section>
  );
}
