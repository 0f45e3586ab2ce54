import { type ReactNode, useState } from "react";
import { printExact } from "../../../api/exact";
import { bytes, count, countOf, duration } from "../../../parts/format";
import { JsonTree } from "../../../parts/JsonTree";
import { fieldsIn, numberIn, textIn } from "../contents";
import { FieldTable } from "../FieldTable";
import styles from "../event.module.css";
import { type Body, exchangeIn, sizeOf } from "./exchange";
import type { StepProps } from "./Steps";
import { Value } from "./Value";

const OK = 200;

/** A request to a model provider and its answer, as they went over the wire. */
export function ExchangeShown({ event }: StepProps) {
  const payload = event.message["payload"];
  const exchange = exchangeIn(payload);
  const { status, broken, request, response } = exchange;
  return (
    <article className={styles["part"]}>
      <header>
        <strong className={styles["name"]}>{exchange.requestLine}</strong>
        {status !== null && (
          <span className={`badge ${status === OK ? "ok" : "bad"}`}>{status}</span>
        )}
        {broken !== null && <span className="badge bad">{broken}</span>}
      </header>
      <FieldTable
        label="Exchange"
        rows={[
          ["API", textIn(payload, "api")],
          ["Attempt of the run", count(numberIn(payload, "attempt"))],
          ["Duration", duration(exchange.durationMs)],
          ["First bytes after", duration(exchange.firstMs)],
          ["Came in", exchange.pieces === 0 ? null : countOf(exchange.pieces, "piece")],
        ]}
      />
      <BodyShown name="Request" body={request} isCut={event.isCut} />
      <BodyShown name="Response" body={response} isCut={event.isCut} />
    </article>
  );
}

interface BodyShownProps {
  readonly name: string;
  readonly body: Body;
  /** Whether only the beginnings of the texts are read. */
  readonly isCut: boolean;
}

/** Headers and bytes of one side, drawn once it is opened. */
function BodyShown({ name, body, isCut }: BodyShownProps) {
  return (
    <OnDemand name={`${name}, ${isCut ? "the beginning" : bytes(sizeOf(body))}`}>
      <JsonTree value={body.headers} label={`Headers of the ${name.toLowerCase()}`} open={1} />
      {body.text === "" ? (
        <p className={styles["soft"]}>No bytes.</p>
      ) : (
        <Value value={body.text} label={name} />
      )}
      {body.isBase64 && <p className={styles["soft"]}>These bytes are no text: in base64.</p>}
    </OnDemand>
  );
}

function OnDemand({ name, children }: { name: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles["exact"]}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>{name}</summary>
      {isOpen && children}
    </details>
  );
}

/** The beginning of a recorded run, with texts of its machine. */
export function RunShown({ event: { message } }: StepProps) {
  const payload = message["payload"];
  const values = Object.entries(fieldsIn(payload, "values"));
  return (
    <FieldTable
      label="Recorded run"
      rows={[
        ["Run", textIn(payload, "run")],
        ...values.map(
          ([name, value]) => [name, typeof value === "string" ? value : printExact(value)] as const,
        ),
      ]}
    />
  );
}

/** That a client left out messages that it had sent before. */
export function RewrittenShown({ event: { message } }: StepProps) {
  const payload = message["payload"];
  return (
    <p>
      The client kept the first {count(numberIn(payload, "kept"))} items of its conversation and
      left out the {count(numberIn(payload, "leftOut"))} after them.
    </p>
  );
}
