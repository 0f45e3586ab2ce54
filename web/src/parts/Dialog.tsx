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
  const hasLeft = useRef(false);
  // at once: the event `close` comes later, when the dialog may be wanted again
  const leave = (): void => {
    if (hasLeft.current) return;
    hasLeft.current = true;
    dialog.current?.close();
    onClose();
  };
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={label}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return; // a file was not chosen
        event.preventDefault();
        leave();
      }}
      onClose={leave}
    >
      <header>
        <h2 id={label}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={leave}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
