import { type ReactNode, useId, useState } from "react";
import styles from "./Popover.module.css";

interface PopoverProps {
  /** What the button says, which is the panel's name too. */
  readonly label: string;
  /** The panel; it is made when it opens. */
  readonly children: ReactNode;
  /** Whether the panel has room for more than a menu. */
  readonly isWide?: boolean;
}

/** A button with a panel under it; Escape or a click elsewhere closes the panel. */
export function Popover({ label, children, isWide = false }: PopoverProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" popoverTarget={id} className={styles["button"]}>
        {label} <span aria-hidden="true">▾</span>
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        data-own-keys=""
        className={styles["panel"]}
        data-wide={isWide}
        onToggle={(event) => {
          setOpen(event.newState === "open");
        }}
      >
        {isOpen && children}
      </div>
    </>
  );
}
