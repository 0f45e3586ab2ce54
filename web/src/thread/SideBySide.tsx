import { Fragment, type ReactNode, useRef, useState } from "react";
import { currentShares, keepShares, sharesOf, shift, STEP } from "./shares";
import styles from "./thread.module.css";

interface SideBySideProps {
  readonly panes: readonly { readonly name: string; readonly pane: ReactNode }[];
}

/** Panes with dividers between them, which are dragged, or moved by the arrow keys. */
export function SideBySide({ panes }: SideBySideProps) {
  const [kept, setShares] = useState(currentShares);
  const frame = useRef<HTMLDivElement>(null);
  const shares = sharesOf(kept, panes.length);
  const before = kept.length - panes.length; // dividers of panes that the first one stands for
  const move = (divider: number, by: number): void => {
    setShares((shares) => {
      const after = shift(shares, before + divider, by);
      keepShares(after);
      return after;
    });
  };
  const columns = shares.map((share) => `minmax(0, ${share}fr)`).join(" 7px ");
  return (
    <div ref={frame} className={styles["panes"]} style={{ gridTemplateColumns: columns }}>
      {panes.map(({ name, pane }, index) => (
        <Fragment key={name}>
          {index > 0 && (
            <div
              className={styles["divider"]}
              role="separator"
              aria-orientation="vertical"
              aria-label={`Width of ${panes[index - 1]?.name ?? ""}`}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round((shares[index - 1] ?? 0) * 100)}
              tabIndex={0}
              onKeyDown={(event) => {
                if (event.key === "ArrowLeft") move(index - 1, -STEP);
                else if (event.key === "ArrowRight") move(index - 1, STEP);
                else return;
                event.preventDefault();
              }}
              onPointerDown={({ currentTarget, pointerId }) => {
                currentTarget.setPointerCapture(pointerId);
              }}
              onPointerMove={({ currentTarget, pointerId, movementX }) => {
                const width = frame.current?.clientWidth ?? 0;
                if (width === 0 || !currentTarget.hasPointerCapture(pointerId)) return;
                move(index - 1, movementX / width);
              }}
            />
          )}
          <div className={styles["pane"]}>{pane}</div>
        </Fragment>
      ))}
    </div>
  );
}
