import { useId, useState } from "react";

interface OneLineProps {
  readonly label: string;
  readonly hint: string;
  readonly known: readonly string[];
  /** Says what is wrong with a text, or nothing. */
  readonly check?: (text: string) => string;
  readonly onGive: (text: string) => void;
}

/** A field of one line, given with Enter; what is wrong with a text stands below. */
export function OneLine({ label, hint, known: values, check, onGive }: OneLineProps) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const list = useId();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const given = text.trim();
        const problem = given === "" ? "" : (check?.(given) ?? "");
        setWrong(problem);
        if (given === "" || problem !== "") return;
        onGive(given);
        setText("");
      }}
    >
      <input
        aria-label={label}
        aria-describedby={wrong === "" ? undefined : `${list}-wrong`}
        aria-invalid={wrong !== ""}
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
      {wrong !== "" && (
        <small id={`${list}-wrong`} role="alert">
          {wrong}
        </small>
      )}
    </form>
  );
}
