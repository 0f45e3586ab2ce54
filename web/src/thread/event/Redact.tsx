import { api, dataOf } from "../../api/client";
import { EraseDialog } from "./actions/EraseDialog";
import { nameOf } from "../../parts/kinds";
import { useCursor } from "../cursor";
import type { Recorded } from "./contents";

/** Asks for a reason and a confirmation, then erases the contents of a message. */
export function Redact({ event, onClose }: { event: Recorded; onClose: () => void }) {
  const { threadId } = useCursor();
  const { id, type, version } = event;
  return (
    <EraseDialog
      title="Redact this message"
      reasonLabel="Reason (it is recorded in the thread)"
      confirmLabel={`Type the version, ${version}, to confirm`}
      confirm={String(version)}
      erase={async (reason) =>
        dataOf(
          await api.POST("/v1/threads/{thread_id}/messages/{message_id}/redact", {
            params: { path: { thread_id: threadId, message_id: id } },
            body: { reason },
          }),
        )
      }
      onClose={onClose}
    >
      <p>
        This cannot be undone. The <strong>{nameOf(type)}</strong> of version {version} loses its
        texts, arguments, files and metadata for ever, at every point of the thread.
      </p>
      <p>
        Its type, time, ids, names, figures and digests stay, so that the thread can still be
        proved. Backups and exports made before are not changed.
      </p>
    </EraseDialog>
  );
}
