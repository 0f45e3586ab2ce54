import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "../api/client";
import { setKey } from "../api/key";
import { Dialog } from "../parts/Dialog";
import { Failure } from "../parts/Failure";
import { type Key, keysQuery } from "./queries";
import styles from "./keys.module.css";

interface RevokeKeyProps {
  readonly of: Key;
  /** Whether it is the key that the page uses. */
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Asks once more, then revokes a key. */
export function RevokeKey({ of, isOwn, onClose }: RevokeKeyProps) {
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () =>
      dataOf(await api.DELETE("/v1/keys/{key_id}", { params: { path: { key_id: of.id } } })),
    onSuccess: async () => {
      if (isOwn) setKey(null);
      else await queries.invalidateQueries({ queryKey: keysQuery.queryKey });
      onClose();
    },
  });
  return (
    <Dialog title={`Revoke the key ${of.name}`} onClose={onClose}>
      <p>
        Requests with this key are refused from now on, for ever. A stream or an append that is
        under way is broken off.
      </p>
      {isOwn && <p>This page uses it, and will ask for another.</p>}
      {error !== null && <Failure error={error} />}
      <div className={styles["actions"]}>
        <button
          type="button"
          className="danger"
          disabled={isPending}
          onClick={() => {
            mutate();
          }}
        >
          Revoke for ever
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
