import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import styles from "./reading.module.css";

interface ClippedProps {
  /** Lines that are shown. */
  readonly lines: number;
  readonly children: ReactNode;
}

/** The first lines of what may be long; it fades where there is more. */
export function Clipped({ lines, children }: ClippedProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      setCut(element.scrollHeight > element.clientHeight + 2);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    measure();
    return () => {
      observer.disconnect();
    };
  });
  return (
    <div
      ref={box}
      className={styles["clipped"]}
      data-cut={isCut}
      style={{ "--lines": lines } as CSSProperties}
    >
      {children}
    </div>
  );
}
