import { useQuery } from "@tanstack/react-query";
import { Failure } from "../../parts/Failure";
import type { AuditAddress } from "../address";
import { textIn } from "../fields";
import type { VerifierKey } from "./note";
import { verifyConsistency } from "./proofs";
import { Steps } from "./Steps";
import styles from "../audit.module.css";

interface ProofProps {
  readonly address: AuditAddress;
  readonly held: VerifierKey | null;
  readonly onAsk: (part: AuditAddress) => void;
}

/** Two checkpoints: whether the later log begins with the earlier one. */
export function Consistency({ address, held, onAsk }: ProofProps) {
  const { from, to } = address;
  return (
    <>
      <form
        key={`${from} ${to}`}
        className={styles["row"]}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          onAsk({ from: Number(textIn(form, "from")), to: Number(textIn(form, "to")) });
        }}
      >
        <label>
          From size <input name="from" type="number" min={0} required defaultValue={from} />
        </label>
        <label>
          to size <input name="to" type="number" min={0} required defaultValue={to} />
        </label>
        <button type="submit">Verify</button>
      </form>
      {from !== undefined && to !== undefined && <Result from={from} to={to} held={held} />}
    </>
  );
}

function Result({ from, to, held }: { from: number; to: number; held: VerifierKey | null }) {
  const { data, error } = useQuery({
    queryKey: ["consistency", from, to, held?.text],
    queryFn: ({ signal }) => verifyConsistency(from, to, held, signal),
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <p className="loading">Verifying…</p>;
  return (
    <Steps
      steps={data}
      shows="Nothing before the earlier checkpoint was changed, added or removed since."
    />
  );
}
