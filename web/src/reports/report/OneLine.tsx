import { useId, useState } from "react";

interface OneLineProps {
  readonly label: string;
  readonly hint: string;
  readonly known: readonly string[];
  readonly onGive: (text: string) => void;
}

/** A field of one line, given with Enter. */
export function OneLine({ label, hint, known: values, onGive }: OneLineProps) {
  const [text, setText] = useState("");
  const list = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const line = text.trim();
        if (line === "") return;
        onGive(line);
        setText("");
      }}
    >
      <input
        aria-label={label}
        list={list}
        placeholder={hint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
      />
      <datalist id={list}>
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </form>
  );
}
