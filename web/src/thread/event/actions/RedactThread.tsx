import { api, dataOf } from "../../../api/client";
import { EraseDialog } from "./EraseDialog";

interface RedactThreadProps {
  readonly threadId: string;
  readonly onClose: () => void;
}

/** Asks for a reason and a confirmation, then erases a thread's contents. */
export function RedactThread({ threadId, onClose }: RedactThreadProps) {
  return (
    <EraseDialog
      title="Redact this thread"
      reasonLabel="Reason (it is recorded in the thread)"
      confirmLabel={
        <>
          Type the thread's id to confirm: <code>{threadId}</code>
        </>
      }
      confirm={threadId}
      erase={async (reason) =>
        dataOf(
          await api.POST("/v1/threads/{thread_id}/redact", {
            params: { path: { thread_id: threadId } },
            body: { reason },
          }),
        )
      }
      onClose={onClose}
    >
      <p>
        Erases the contents of all messages so far, the goal and the metadata, for ever. That the
        messages existed, their order, times, types and ids stay and can be proved. Exports, backups
        and followers keep what they have.
      </p>
    </EraseDialog>
  );
}
