import { useQuery } from "@tanstack/react-query";
import { Failure } from "../../parts/Failure";
import type { AuditAddress } from "../address";
import { textIn } from "../fields";
import type { VerifierKey } from "./note";
import { verifyInclusion } from "./proofs";
import { Steps } from "./Steps";
import styles from "../audit.module.css";

interface ProofProps {
  readonly address: AuditAddress;
  readonly held: VerifierKey | null;
  readonly onAsk: (part: AuditAddress) => void;
}

/** A message: whether it is in the log of the latest checkpoint. */
export function MessageProof({ address, held, onAsk }: ProofProps) {
  const { thread, message } = address;
  return (
    <>
      <form
        key={`${thread} ${message}`}
        className={styles["row"]}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          onAsk({ thread: textIn(form, "thread"), message: textIn(form, "message") });
        }}
      >
        <label>
          Thread <input name="thread" required spellCheck={false} defaultValue={thread} />
        </label>
        <label>
          message id{" "}
          <input name="message" required size={30} spellCheck={false} defaultValue={message} />
        </label>
        <button type="submit">Verify</button>
      </form>
      {thread !== undefined && message !== undefined && (
        <Result thread={thread} message={message} held={held} />
      )}
    </>
  );
}

interface ResultProps {
  readonly thread: string;
  readonly message: string;
  readonly held: VerifierKey | null;
}

function Result({ thread, message, held }: ResultProps) {
  const { data, error } = useQuery({
    queryKey: ["inclusion", thread, message, held?.text],
    queryFn: ({ signal }) => verifyInclusion(thread, message, held, signal),
    staleTime: 0, // a later checkpoint may cover it
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <p className="loading">Verifying…</p>;
  if (typeof data === "string") return <p>{data}</p>;
  return <Steps steps={data} shows="The message was in the log, there, when it was signed." />;
}
