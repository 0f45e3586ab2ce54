import { mayOpen } from "../app/access";
import { Copy } from "../parts/Copy";
import { Dialog } from "../parts/Dialog";
import styles from "./keys.module.css";
import type { NewKey } from "./queries";

interface ShownOnceProps {
  readonly made: NewKey;
  readonly isFirst: boolean;
  readonly onClose: (made: NewKey) => void;
}

/** A new key, which the service does not keep. */
export function ShownOnce({ made, isFirst, onClose }: ShownOnceProps) {
  const close = (): void => {
    onClose(made);
  };
  return (
    <Dialog title={`The key ${made.name}`} onClose={close}>
      <p>It is shown this once. Copy it now, and keep it where secrets are kept.</p>
      <p className={styles["secret"]}>
        <code aria-label="Key">{made.key}</code>
        <Copy text={made.key} className="primary" />
      </p>
      {isFirst && (
        <p>
          {mayOpen("/keys", made.scopes)
            ? "Every request needs a key now. This page uses this one until the tab closes."
            : "Every request needs a key now. This one opens no screen: the page asks for another."}
        </p>
      )}
      <button type="button" onClick={close}>
        Done
      </button>
    </Dialog>
  );
}
