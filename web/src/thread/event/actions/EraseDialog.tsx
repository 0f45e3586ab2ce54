import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { Dialog } from "../../../parts/Dialog";
import styles from "./EraseDialog.module.css";
import { Failure } from "../../../parts/Failure";

interface EraseDialogProps {
  readonly title: string;
  /** What is erased, and what stays. */
  readonly children: ReactNode;
  readonly reasonLabel: string;
  readonly confirmLabel: ReactNode;
  /** The text that has to be typed. */
  readonly confirm: string;
  readonly erase: (reason: string) => Promise<unknown>;
  readonly onErased?: () => void;
  readonly onClose: () => void;
}

/** Erases contents for ever, once a reason is given and a confirmation typed. */
export function EraseDialog(props: EraseDialogProps) {
  const { title, children, reasonLabel, confirmLabel, confirm, erase, onErased, onClose } = props;
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const id = useId();
  const erasing = useMutation({
    mutationFn: async () => {
      await erase(reason.trim());
      client.removeQueries({ type: "inactive" }); // they may hold what is erased
      await client.invalidateQueries();
    },
    onSuccess: () => {
      onClose();
      onErased?.();
    },
  });
  const isReady = reason.trim() !== "" && typed.trim() === confirm && !erasing.isPending;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) erasing.mutate();
        }}
      >
        {children}
        <label htmlFor={`${id}-reason`}>{reasonLabel}</label>
        <input
          id={`${id}-reason`}
          autoComplete="off"
          required
          value={reason}
          onChange={({ target }) => {
            setReason(target.value);
          }}
        />
        <label htmlFor={`${id}-typed`}>{confirmLabel}</label>
        <input
          id={`${id}-typed`}
          autoComplete="off"
          spellCheck={false}
          required
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
          }}
        />
        {erasing.error !== null && <Failure error={erasing.error} />}
        <div className={styles["choice"]}>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="danger" disabled={!isReady}>
            {erasing.isPending ? "Erasing…" : "Erase for ever"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
