import { type RefObject, useEffect, useState } from "react";
import type { Change, ThreadsAddress } from "../address";
import styles from "./SearchBox.module.css";

const PAUSE_MS = 300;

interface SearchBoxProps {
  readonly address: ThreadsAddress;
  readonly change: Change;
  readonly box: RefObject<HTMLInputElement | null>;
}

/** A search box for goals and ids, or for contents. It searches while the reader types. */
export function SearchBox({ address, change, box }: SearchBoxProps) {
  const { q, find } = address;
  const [choice, setChoice] = useState(find !== undefined);
  const isInContents = find !== undefined || (q === undefined && choice);
  const said = find ?? q ?? "";
  const [text, setText] = useState(said);
  const [before, setBefore] = useState(said);
  if (said !== before) {
    // the address was changed by something else: Back, or a button
    setBefore(said);
    if (said !== text.trim()) setText(said);
  }
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === said) return;
    const timer = setTimeout(() => {
      change(searchChange(wanted, isInContents), { replace: true });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text, said, isInContents, change]);
  const choose = (contents: boolean): void => {
    setChoice(contents);
    const wanted = text.trim();
    if (wanted !== "") change(searchChange(wanted, contents));
    box.current?.focus();
  };
  return (
    <search className={styles["search"]}>
      <input
        ref={box}
        type="search"
        aria-label={isInContents ? "Search contents" : "Search goals and ids"}
        placeholder={isInContents ? "Search contents of messages" : "Search goals and ids"}
        title={
          isInContents
            ? 'Whole words, beginnings*, "phrases" ( / )'
            : "Words, or their beginnings ( / )"
        }
        maxLength={1000}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") change(searchChange(text.trim(), isInContents));
        }}
      />
      <div role="group" aria-label="Search in" className={styles["scope"]}>
        {[false, true].map((contents) => (
          <button
            key={String(contents)}
            type="button"
            aria-pressed={contents === isInContents}
            onClick={() => {
              choose(contents);
            }}
          >
            {contents ? "Contents" : "Goals and ids"}
          </button>
        ))}
      </div>
    </search>
  );
}

function searchChange(text: string, isInContents: boolean) {
  const wanted = text === "" ? undefined : text;
  const isFind = isInContents && wanted !== undefined;
  return { q: isFind ? undefined : wanted, find: isFind ? wanted : undefined, row: undefined };
}
