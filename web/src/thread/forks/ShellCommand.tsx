import { Copy } from "../../parts/Copy";
import styles from "./forks.module.css";

/** A command for a shell, to copy. */
export function ShellCommand({ text, name }: { text: string; name: string }) {
  return (
    <>
      <pre className="code" tabIndex={0} aria-label={name.replace("Copy c", "C")}>
        {text}
      </pre>
      <div className={styles["choice"]}>
        <Copy text={text} className="primary">
          {name}
        </Copy>
      </div>
    </>
  );
}
