import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { parseKey, type VerifierKey } from "./note";
import styles from "../audit.module.css";

const PLACE = "agentlog.held-key";

/** The log's public key as the reader has it from elsewhere; kept until the tab closes. */
export function useHeldKey() {
  const [text, setText] = useState(() => sessionStorage.getItem(PLACE));
  const { data: key = null } = useQuery({
    queryKey: ["held key", text],
    queryFn: () => (text === null ? null : parseKey(text)),
  });
  const hold = (held: VerifierKey | null): void => {
    if (held === null) sessionStorage.removeItem(PLACE);
    else sessionStorage.setItem(PLACE, held.text);
    setText(held?.text ?? null);
  };
  return { key, hold };
}

interface HeldKeyProps {
  readonly held: VerifierKey | null;
  readonly onHold: (key: VerifierKey | null) => void;
}

/** Says by which key signatures are verified, and takes the reader's own. */
export function HeldKey({ held, onHold }: HeldKeyProps) {
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const field = useId();
  if (held !== null) {
    return (
      <p className={styles["row"]}>
        <span className="badge ok">Your key</span>
        <code className={styles["hash"]}>{held.text}</code>
        <button
          type="button"
          className="quiet"
          onClick={() => {
            onHold(null);
          }}
        >
          Forget it
        </button>
      </p>
    );
  }
  const hold = async (): Promise<void> => {
    const key = await parseKey(text);
    setWrong(key === null);
    if (key !== null) onHold(key);
  };
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        void hold();
      }}
    >
      <p>
        Signatures are verified by the key that the service names. Anyone who can change the log can
        name another key, too: to rule that out, enter the key that you received elsewhere, as{" "}
        <code>agentlog checkpoint --public-key</code> prints it. The page keeps it until the tab
        closes.
      </p>
      <label htmlFor={field}>Public key of the log</label>
      <span className={styles["row"]}>
        <input
          id={field}
          className={styles["wide"]}
          placeholder="NAME+ID+KEY"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isWrong}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setWrong(false);
          }}
        />
        <button type="submit">Use this key</button>
      </span>
      {isWrong && (
        <p className={styles["wrong"]} role="alert">
          This is no public key of a log: it is written NAME+ID+KEY.
        </p>
      )}
    </form>
  );
}
