import { Fragment, type ReactNode, useState } from "react";
import { count } from "../../../parts/format";

const SIZE = 50;

interface PortionProps<T> {
  readonly of: readonly T[];
  readonly draw: (each: T, index: number) => ReactNode;
}

/** The first 50 items of a list, and a button for the next. */
export function Portion<T>({ of, draw }: PortionProps<T>) {
  const [shown, show] = useState(SIZE);
  return (
    <>
      {of.slice(0, shown).map((each, index) => (
        <Fragment key={index}>{draw(each, index)}</Fragment>
      ))}
      {of.length > shown && (
        <button
          type="button"
          onClick={() => {
            show(shown + SIZE);
          }}
        >
          Show {Math.min(SIZE, of.length - shown)} of {count(of.length - shown)} more
        </button>
      )}
    </>
  );
}
