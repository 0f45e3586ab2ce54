import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Copy } from "../../parts/Copy";
import { Failure } from "../../parts/Failure";
import { count, time } from "../../parts/format";
import { type Column, WindowedTable } from "../../parts/WindowedTable";
import type { VerifierKey } from "./note";
import { short, signatureStep } from "./proofs";
import { checkpointsQuery, type SignedCheckpoint } from "../queries";

interface CheckpointsProps {
  readonly held: VerifierKey | null;
  /** Takes a size as the earlier or the later one of a comparison. */
  readonly onChoose: (part: { from: number } | { to: number }) => void;
}

const COLUMNS: readonly Column[] = [
  { name: "Events", width: "5rem", isNumber: true },
  { name: "Made", width: "11rem" },
  { name: "Root", width: "11rem" },
  { name: "Signature", width: "minmax(11rem, 1fr)" },
  { name: "Compare, copy", width: "13rem" },
];

/** The signed checkpoints, each with its signature verified here. */
export function Checkpoints({ held, onChoose }: CheckpointsProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(checkpointsQuery);
  if (error !== null) return <Failure error={error} />;
  if (isPending) return <p className="loading">Reading checkpoints…</p>;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return (
      <p>
        There is no checkpoint yet. <code>agentlog checkpoint &gt; kept-elsewhere.note</code> signs
        the log as it is: keep the note where the owner of the database cannot change it.
      </p>
    );
  }
  return (
    <WindowedTable
      label="Checkpoints"
      columns={COLUMNS}
      items={items}
      idOf={({ size }) => size}
      most={8}
      onMore={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : null}
      cells={(checkpoint) => [
        count(checkpoint.size),
        time(checkpoint.madeAt),
        <code title={checkpoint.root}>{short(checkpoint.root)}</code>,
        <SignatureBadge checkpoint={checkpoint} held={held} />,
        <Choices checkpoint={checkpoint} onChoose={onChoose} />,
      ]}
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
  if (data === undefined) return "–";
  const tone = data.isGood === null ? "warn" : !data.isGood ? "bad" : held ? "ok" : "accent";
  return <span className={`badge ${tone}`}>{data.text}</span>;
}
