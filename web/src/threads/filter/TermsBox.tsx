import { useId, useState } from "react";
import { suggestions } from "../../parts/text/terms";
import type { Change, ThreadsAddress } from "../address";
import type { Seen } from "./seen";
import { termsOf } from "./terms";
import styles from "./FilterBar.module.css";

interface TermsBoxProps {
  readonly address: ThreadsAddress;
  readonly change: Change;
  readonly seen: Seen;
}

/** A filter of terms, which Enter applies; the service says what is wrong with it. */
export function TermsBox({ address, change, seen }: TermsBoxProps) {
  const id = useId();
  const said = address.filter ?? "";
  const [text, setText] = useState(said);
  const [before, setBefore] = useState(said);
  if (said !== before) {
    setBefore(said);
    setText(said);
  }
  const apply = (): void => {
    const wanted = text.trim();
    if (wanted !== said) change({ filter: wanted === "" ? undefined : wanted, row: undefined });
  };
  return (
    <>
      <input
        type="search"
        className={styles["terms"]}
        aria-label="Filter by terms"
        placeholder="failed tool:book* cost>0.5"
        title="Terms that must hold; or, -, ( ) ; Enter applies"
        list={id}
        maxLength={2000}
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
        onBlur={apply}
        onKeyDown={({ key }) => {
          if (key === "Enter") apply();
        }}
      />
      <datalist id={id}>
        {suggestions(text, termsOf(seen)).map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}
