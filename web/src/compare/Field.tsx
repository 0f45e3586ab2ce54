import { useEffect, useId, useRef, useState } from "react";
import styles from "./compare.module.css";

interface FieldProps {
  readonly label: string;
  readonly button: string;
  readonly known?: readonly string[];
  readonly start?: string;
  /** Whether it has the focus when it appears. */
  readonly isFirst?: boolean;
  /** Whether an empty text is submitted too. */
  readonly mayBeEmpty?: boolean;
  readonly onGive: (text: string) => void;
}

/** A field for one line of text, with a button that submits it. */
export function Field(props: FieldProps) {
  const {
    label,
    button,
    known = [],
    start = "",
    isFirst = false,
    mayBeEmpty = false,
    onGive,
  } = props;
  const [text, setText] = useState(start);
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) input.current?.focus();
  }, [isFirst]);
  return (
    <form
      className={styles["field"]}
      onSubmit={(event) => {
        event.preventDefault();
        const value = text.trim();
        if (value === "" && !mayBeEmpty) return;
        onGive(value);
        setText(mayBeEmpty ? value : start);
      }}
    >
      <label htmlFor={field}>{label}</label>
      <input
        ref={input}
        id={field}
        list={`${field}-known`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <datalist id={`${field}-known`}>
        {known.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <button type="submit">{button}</button>
    </form>
  );
}
