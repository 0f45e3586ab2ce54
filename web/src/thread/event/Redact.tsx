import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answered, api } from "../../api/client";
import { Dialog } from "../../parts/Dialog";
import { nameOf } from "../../parts/kinds";
import { Failure } from "../../parts/Failure";
import { useCursor } from "../cursor";
import type { Recorded } from "./contents";
import styles from "./event.module.css";

/** Asks twice, then erases what a message says. */
export function Redact({ event, onClose }: { event: Recorded; onClose: () => void }) {
  const { threadId } = useCursor();
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [version, setVersion] = useState("");
  const id = useId();
  const redaction = useMutation({
    mutationFn: async () => {
      const path = { thread_id: threadId, message_id: event.id };
      answered(
        await api.POST("/v1/threads/{thread_id}/messages/{message_id}/redact", {
          params: { path },
          body: { reason: reason.trim() },
        }),
      );
      client.removeQueries({ type: "inactive" }); // they may have what is erased
      await client.invalidateQueries();
    },
    onSuccess: onClose,
  });
  const isSure = reason.trim() !== "" && version.trim() === String(event.version);
  return (
    <Dialog title="Redact this message" onClose={onClose}>
      <form
        className={styles["form"]}
        onSubmit={(submitted) => {
          submitted.preventDefault();
          if (isSure) redaction.mutate();
        }}
      >
        <p>
          This cannot be undone. The <strong>{nameOf(event.type)}</strong> of version{" "}
          {event.version} loses its texts, arguments, files and metadata for ever, at every point of
          the thread.
        </p>
        <p>
          Its type, time, ids, names, figures and digests stay, so that the thread can still be
          proved. Backups and exports made before are not changed.
        </p>
        <label htmlFor={`${id}-reason`}>Reason (it is recorded in the thread)</label>
        <input
          id={`${id}-reason`}
          value={reason}
          autoComplete="off"
          required
          onChange={(changed) => {
            setReason(changed.target.value);
          }}
        />
        <label htmlFor={`${id}-version`}>Type the version, {event.version}, to confirm</label>
        <input
          id={`${id}-version`}
          value={version}
          inputMode="numeric"
          autoComplete="off"
          required
          onChange={(changed) => {
            setVersion(changed.target.value);
          }}
        />
        {redaction.error !== null && <Failure error={redaction.error} />}
        <div className={styles["choice"]}>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="danger" disabled={!isSure || redaction.isPending}>
            {redaction.isPending ? "Erasing…" : "Erase for ever"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
