import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Copy } from "../../parts/Copy";
import { count, time } from "../../parts/format";
import type { Column } from "../../parts/tables/DataTable";
import { PagedTable } from "../../parts/tables/PagedTable";
import type { VerifierKey } from "./note";
import { short, signatureStep } from "./proofs";
import { checkpointsQuery, type SignedCheckpoint } from "../queries";

interface CheckpointsProps {
  readonly held: VerifierKey | null;
  /** Takes a size as the earlier or the later one of a comparison. */
  readonly onChoose: (part: { from: number } | { to: number }) => void;
}

const COLUMNS: readonly Column[] = [
  { heading: "Events", width: 90, isFigure: true },
  { heading: "Made", width: 190 },
  { heading: "Root", width: 180 },
  { heading: "Signature", width: 220 },
  { heading: "Compare, copy", width: 220 },
];

/** The signed checkpoints, each with its signature verified here. */
export function Checkpoints({ held, onChoose }: CheckpointsProps) {
  return (
    <PagedTable
      label="Checkpoints"
      query={useInfiniteQuery(checkpointsQuery)}
      columns={COLUMNS}
      most={8}
      cells={(checkpoint) => [
        count(checkpoint.size),
        time(checkpoint.madeAt),
        <code title={checkpoint.root}>{short(checkpoint.root)}</code>,
        <SignatureBadge checkpoint={checkpoint} held={held} />,
        <Choices checkpoint={checkpoint} onChoose={onChoose} />,
      ]}
      empty={
        <>
          There is no checkpoint yet. <code>agentlog checkpoint &gt; kept-elsewhere.note</code>{" "}
          signs the log as it is: keep the note where the owner of the database cannot change it.
        </>
      }
    />
  );
}

interface ChoicesProps {
  readonly checkpoint: SignedCheckpoint;
  readonly onChoose: CheckpointsProps["onChoose"];
}

function Choices({ checkpoint: { size, note }, onChoose }: ChoicesProps) {
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label={`Compare from ${size}`}
        onClick={() => {
          onChoose({ from: size });
        }}
      >
        From
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={`Compare to ${size}`}
        onClick={() => {
          onChoose({ to: size });
        }}
      >
        To
      </button>
      <Copy text={note}>Copy note</Copy>
    </>
  );
}

interface SignatureBadgeProps {
  readonly checkpoint: SignedCheckpoint;
  readonly held: VerifierKey | null;
}

function SignatureBadge({ checkpoint, held }: SignatureBadgeProps) {
  const { data } = useQuery({
    queryKey: ["signature", checkpoint.note, checkpoint.publicKey, held?.text],
    queryFn: () => signatureStep(checkpoint, held),
  });
  if (data === undefined) return <>–</>;
  const tone = data.isGood === null ? "warn" : !data.isGood ? "bad" : held ? "ok" : "accent";
  return <span className={`badge ${tone}`}>{data.text}</span>;
}
