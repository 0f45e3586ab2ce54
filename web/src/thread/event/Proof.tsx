import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Inclusion as InclusionProof } from "../../audit/queries";
import { Copy } from "../../parts/Copy";
import { Failure } from "../../parts/Failure";
import { bytes, count, countOf, time } from "../../parts/format";
import { JsonTree } from "../../parts/JsonTree";
import { useCursor } from "../cursor";
import { type Recorded, textIn } from "./contents";
import { FieldTable } from "./FieldTable";
import styles from "./event.module.css";
import { chainQuery, proofQuery } from "./queries";

/** Bytes; the proof needs the whole event, so larger ones are read on demand. */
const LARGE = 1_000_000;

/** The event's place in the log, its producer, and its proof. */
export function Proof({ event }: { event: Recorded }) {
  const appendedBy = textIn(event.metadata, "appendedBy");
  const actor = textIn(event.metadata, "actor");
  const [isAsked, ask] = useState(event.bytes <= LARGE);
  return (
    <>
      <FieldTable
        label="Place"
        rows={[
          ["Message id", <Copied key="id" text={event.id} />],
          ["Type", event.type],
          ["Version", String(event.version)],
          ["Position", event.position === null ? null : String(event.position)],
          ["Recorded at", event.recordedAt],
          ["Producer’s clock", event.timestamp === null ? null : clock(event.timestamp)],
          ["Appended by", appendedBy],
          ["Actor", actor],
        ]}
      />
      <h3>Chain</h3>
      {isAsked ? (
        <Chain event={event} />
      ) : (
        <button
          type="button"
          onClick={() => {
            ask(true);
          }}
        >
          Read the digests with all {bytes(event.bytes)}
        </button>
      )}
      <h3>Metadata</h3>
      {Object.keys(event.metadata).length === 0 ? (
        <p className={styles["soft"]}>None.</p>
      ) : (
        <JsonTree value={event.metadata} label="Metadata" open={3} />
      )}
    </>
  );
}

function Chain({ event }: { event: Recorded }) {
  const { threadId } = useCursor();
  const chained = useQuery(chainQuery(threadId, event.version));
  const proof = useQuery(proofQuery(threadId, event.id, event.position ?? 0));
  const error = chained.error ?? proof.error;
  if (error !== null) return <Failure error={error} />;
  if (chained.data === undefined || proof.data === undefined) {
    return <p className="loading">Loading…</p>;
  }
  return (
    <>
      <FieldTable
        label="Chain"
        rows={[
          ["SHA-256 of the body", digest(chained.data?.bodySha256)],
          ["Link", digest(chained.data?.chain)],
        ]}
      />
      <h3>Checkpoint</h3>
      {typeof proof.data === "string" ? (
        <p className={styles["soft"]}>{proof.data}</p>
      ) : (
        <Inclusion proof={proof.data} />
      )}
    </>
  );
}

function Inclusion({ proof }: { proof: InclusionProof }) {
  const { size, madeAt, root } = proof.checkpoint;
  return (
    <>
      <FieldTable
        label="Checkpoint"
        rows={[
          ["Made at", time(madeAt)],
          ["Size", countOf(size, "event")],
          ["Root", digest(root)],
          ["Leaf", count(proof.leafIndex)],
          ["Leaf hash", digest(proof.leafHash)],
          ["Path to the root", countOf(proof.path.length, "hash", "hashes")],
        ]}
      />
      <Copy text={JSON.stringify(proof, null, 2)} className="">
        Copy the proof
      </Copy>
    </>
  );
}

function clock(timestamp: number): string {
  return `${new Date(timestamp).toISOString()} (${timestamp})`;
}

function digest(text: string | undefined) {
  return text === undefined ? null : <Copied text={text} />;
}

function Copied({ text }: { text: string }) {
  return (
    <span className={styles["copied"]}>
      <code>{text}</code> <Copy text={text} />
    </span>
  );
}
