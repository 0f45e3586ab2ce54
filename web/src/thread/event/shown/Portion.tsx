import { Fragment, type ReactNode, useState } from "react";
import { count } from "../../../parts/format";

const SIZE = 50;

interface PortionProps<T> {
  readonly of: readonly T[];
  readonly draw: (item: T, index: number) => ReactNode;
}

/** The first 50 items of a list, and a button for the next. */
export function Portion<T>({ of, draw }: PortionProps<T>) {
  const [limit, setLimit] = useState(SIZE);
  return (
    <>
      {of.slice(0, limit).map((item, index) => (
        <Fragment key={index}>{draw(item, index)}</Fragment>
      ))}
      {of.length > limit && (
        <button
          type="button"
          onClick={() => {
            setLimit(limit + SIZE);
          }}
        >
          Show {Math.min(SIZE, of.length - limit)} of {count(of.length - limit)} more
        </button>
      )}
    </>
  );
}
