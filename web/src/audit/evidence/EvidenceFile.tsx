import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Failure } from "../../parts/Failure";
import { count, countOf } from "../../parts/format";
import { type Verdict, verifyBundle } from "./evidence";
import type { VerifierKey } from "../checkpoints/note";
import styles from "../audit.module.css";

const MOST_SHOWN = 20;

/** A file of evidence, verified here: nothing of it is sent anywhere. */
export function EvidenceFile({ held }: { held: VerifierKey | null }) {
  const field = useId();
  const [isOver, setOver] = useState(false);
  const { mutate, data, error, isPending } = useMutation({
    networkMode: "always", // no request is made
    mutationFn: async (file: File) => verifyBundle(await file.text(), held),
  });
  const take = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file !== undefined) mutate(file);
  };
  return (
    <>
      <div
        className={styles["drop"]}
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => {
          setOver(false);
        }}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files);
        }}
      >
        <label htmlFor={field}>Evidence file, chosen or dropped here</label>
        <input
          id={field}
          type="file"
          accept=".json,application/json"
          onChange={(event) => {
            take(event.target.files);
          }}
        />
      </div>
      {isPending && <p className="loading">Verifying…</p>}
      {error !== null && <Failure error={error} />}
      {data !== undefined && <Result verdict={data} isOwnKey={held?.text === data.publicKey} />}
    </>
  );
}

function Result({ verdict, isOwnKey }: { verdict: Verdict; isOwnKey: boolean }) {
  const { threadId, tenant, version, size, redacted, findings, isSignatureKnown } = verdict;
  const isWhole = findings.length === 0;
  return (
    <div role="status" className={styles["result"]}>
      <p>
        <span className={`badge ${isWhole ? "ok" : "bad"}`}>{isWhole ? "Whole" : "Broken"}</span>{" "}
        {isWhole &&
          `Thread ${threadId} of tenant ${tenant} had these ${countOf(version, "event")}, in this ` +
            `order, when the log was signed at size ${count(size)}` +
            (isOwnKey ? " by your key." : " by the key that the file brings along.")}
      </p>
      {isWhole && redacted > 0 && <p>Redacted contents: {count(redacted)}.</p>}
      {!isSignatureKnown && <p>Signature not verified: this browser has no Ed25519.</p>}
      {isWhole && !isOwnKey && (
        <p>
          The file cannot show whose key that is: compare <code>{verdict.publicKey}</code> with one
          from elsewhere.
        </p>
      )}
      <ul className={styles["steps"]}>
        {findings.slice(0, MOST_SHOWN).map(({ what, version: at, detail }, index) => (
          <li key={index} data-good={false}>
            <span aria-hidden="true">✗</span>
            <span>
              {at !== null && `Version ${at}: `}
              <code>{what}</code>: {detail}
            </span>
          </li>
        ))}
      </ul>
      {findings.length > MOST_SHOWN && <p>… and {count(findings.length - MOST_SHOWN)} more</p>}
    </div>
  );
}
