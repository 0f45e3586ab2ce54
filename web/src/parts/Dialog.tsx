import { type ReactNode, useEffect, useId, useRef } from "react";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog; Escape and its button close it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const label = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={label} onClose={onClose}>
      <header>
        <h2 id={label}>{title}</h2>
        <button
          type="button"
          className="quiet"
          aria-label="Close"
          onClick={() => {
            dialog.current?.close();
          }}
        >
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
