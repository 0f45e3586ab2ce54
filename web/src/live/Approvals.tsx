import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api, dataOf } from "../api/client";
import { printExact } from "../api/exact";
import { useMay } from "../app/access";
import { Failure } from "../parts/Failure";
import { ago } from "../parts/format";
import styles from "./live.module.css";
import { approvalsQuery, openQuery } from "./queries";
import { type Pending, pendingOf } from "./wall";

const PERSON = "agentlog.person";

interface ApprovalsProps {
  readonly threadId: string;
  readonly version: number;
  readonly now: number;
}

/** What a thread asks a person, each with the buttons that answer it. */
export function Approvals({ threadId, version, now }: ApprovalsProps) {
  const { data: events, error } = useQuery(approvalsQuery(threadId, version));
  if (error !== null) return <Failure error={error} />;
  return (
    <>
      {pendingOf(events ?? []).map((pending) => (
        <Approval key={`${pending.callId} ${pending.version}`} {...{ threadId, pending, now }} />
      ))}
    </>
  );
}

interface ApprovalProps {
  readonly threadId: string;
  readonly pending: Pending;
  readonly now: number;
}

function Approval({ threadId, pending, now }: ApprovalProps) {
  const { tool, args, reason, askedAt } = pending;
  const mayAppend = useMay("append");
  return (
    <article className={styles["approval"]} aria-label={`Approval of ${tool}`}>
      <p>
        <strong>{tool}</strong>
        {reason !== null && <> · {reason}</>} · asked {ago(askedAt, now)}
      </p>
      {args !== null && <pre>{printExact(args)}</pre>}
      {mayAppend ? (
        <Answer threadId={threadId} pending={pending} />
      ) : (
        <p>This key may not append messages: another has to answer.</p>
      )}
    </article>
  );
}

/** Answers by an ordinary message, which has the person's name. */
function Answer({ threadId, pending: { callId } }: Omit<ApprovalProps, "now">) {
  const [person, setPerson] = useState(() => localStorage.getItem(PERSON) ?? "");
  const [reason, setReason] = useState("");
  const [name, why] = [useId(), useId()];
  const client = useQueryClient();
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: async (isApproved: boolean) => {
      localStorage.setItem(PERSON, person.trim());
      const message = {
        type: "approval_response" as const,
        callId,
        approved: isApproved,
        ...(reason.trim() !== "" && { reason: reason.trim() }),
        metadata: { actor: person.trim() },
      };
      return dataOf(
        await api.POST("/v1/threads/{thread_id}/messages", {
          params: { path: { thread_id: threadId } },
          body: [message],
        }),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: openQuery.queryKey }),
  });
  const isOff = isPending || isSuccess || person.trim() === "";
  const answer = (isApproved: boolean) => () => {
    if (!isOff) mutate(isApproved);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <label htmlFor={name}>Your name</label>
      <input
        id={name}
        required
        autoComplete="name"
        value={person}
        onChange={({ target }) => {
          setPerson(target.value);
        }}
      />
      <label htmlFor={why}>Reason</label>
      <input
        id={why}
        placeholder="optional"
        value={reason}
        onChange={({ target }) => {
          setReason(target.value);
        }}
      />
      <button type="button" className="primary" disabled={isOff} onClick={answer(true)}>
        Approve
      </button>
      <button type="button" className="danger" disabled={isOff} onClick={answer(false)}>
        Deny
      </button>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
