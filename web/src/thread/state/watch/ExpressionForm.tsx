import { useState } from "react";
import styles from "../state.module.css";

interface ExpressionFormProps {
  readonly label: string;
  readonly action: string;
  readonly initial?: string;
  readonly onSubmit: (expression: string) => void;
}

/** A field for an expression; it is empty again after it was sent. */
export function ExpressionForm({ label, action, initial = "", onSubmit }: ExpressionFormProps) {
  const [text, setText] = useState(initial);
  return (
    <form
      className={styles["tools"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        onSubmit(text.trim());
        setText("");
      }}
    >
      <input
        className={styles["grow"]}
        aria-label={label}
        placeholder="$.step_count"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <button type="submit">{action}</button>
    </form>
  );
}
