import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answered, api } from "../../api/client";
import { Dialog } from "../../parts/Dialog";
import { Failure } from "../../parts/Failure";
import styles from "../audit.module.css";

interface RedactThreadProps {
  readonly threadId: string;
  readonly onDone: () => void;
}

/** A button that erases the contents of a whole thread, when the reader has said so twice. */
export function RedactThread({ threadId, onDone }: RedactThreadProps) {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const id = useId();
  const queries = useQueryClient();
  const redaction = useMutation({
    mutationFn: async () =>
      answered(
        await api.POST("/v1/threads/{thread_id}/redact", {
          params: { path: { thread_id: threadId } },
          body: { reason: reason.trim() },
        }),
      ),
    onSuccess: async () => {
      setAsking(false);
      await queries.invalidateQueries(); // what was read of earlier versions is erased as well
      onDone();
    },
  });
  const isReady = reason.trim() !== "" && typed === threadId && !redaction.isPending;
  return (
    <>
      <button
        type="button"
        className="danger"
        onClick={() => {
          setReason("");
          setTyped("");
          redaction.reset();
          setAsking(true);
        }}
      >
        Redact thread…
      </button>
      {isAsking && (
        <Dialog
          title="Redact this thread"
          onClose={() => {
            setAsking(false);
          }}
        >
          <form
            className={styles["form"]}
            onSubmit={(event) => {
              event.preventDefault();
              if (isReady) redaction.mutate();
            }}
          >
            <p>
              Erases the contents of all messages so far, the goal and the metadata, for ever. That
              the messages existed, their order, times, types and ids stay and can be proved.
              Exports, backups and followers keep what they have.
            </p>
            <label htmlFor={`${id}-reason`}>Reason: it stays on record</label>
            <input
              id={`${id}-reason`}
              autoComplete="off"
              value={reason}
              onChange={(event) => {
                setReason(event.target.value);
              }}
            />
            <label htmlFor={`${id}-typed`}>
              Type the thread's id to confirm: <code>{threadId}</code>
            </label>
            <input
              id={`${id}-typed`}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
              }}
            />
            {redaction.error !== null && <Failure error={redaction.error} />}
            <div className={styles["actions"]}>
              <button type="submit" className="danger" disabled={!isReady}>
                Erase for ever
              </button>
              <button
                type="button"
                onClick={() => {
                  setAsking(false);
                }}
              >
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
