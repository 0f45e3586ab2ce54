import { useEffect, useRef } from "react";
import { useColours } from "./colours";
import type { Picture } from "./picture";
import styles from "../reports.module.css";

interface ChartPictureProps {
  readonly picture: Picture;
  /** What it shows; the table beside it has the figures. */
  readonly label: string;
  readonly axis: (value: number) => string;
}

/** A chart, drawn once its library is loaded. */
export function ChartPicture({ picture, label, axis }: ChartPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useColours();
  useEffect(() => {
    let end: (() => void) | undefined;
    let isWanted = true;
    void import("./drawing").then(({ draw }) => {
      if (isWanted && canvas.current !== null) end = draw(canvas.current, picture, colours, axis);
    });
    return () => {
      isWanted = false;
      end?.();
    };
  }, [picture, colours, axis]);
  return (
    <figure className={styles["picture"]}>
      <div>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Chart: ${label}. The table has its figures.`}
        />
      </div>
      {picture.isCut && <small>The chart leaves out a part; the table has all.</small>}
    </figure>
  );
}
