import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useMay } from "../../app/access";
import { Failure } from "../../parts/Failure";
import { Popover } from "../../parts/Popover";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";
import { NameField } from "./NameField";
import { useRemark } from "./queries";
import styles from "./remarks.module.css";
import { judgementText } from "./texts";

/** The thread's labels and judgements, and a way to others. */
export function Judgement() {
  const { threadId } = useCursor();
  const { data: head } = useQuery(headQuery(threadId));
  const mayWrite = useMay("append");
  if (head === undefined) return null;
  return (
    <>
      {head.judgements.map((judgement) => (
        <span key={judgement.criterion} className="badge" title="Judgement">
          {judgementText(judgement)}
        </span>
      ))}
      {head.labels.map((label) => (
        <span key={label} className="badge accent" title="Label">
          {label}
        </span>
      ))}
      {mayWrite && (
        <Popover label="Judge">
          <div className={styles["panel"]}>
            <Labels labels={head.labels} />
            <NewJudgement />
            <NameField />
          </div>
        </Popover>
      )}
    </>
  );
}

function Labels({ labels }: { labels: readonly string[] }) {
  const [label, setLabel] = useState("");
  const remark = useRemark();
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        const add = label.trim();
        if (add === "") return;
        remark.mutate(
          { type: "thread.labelled", add: [add], remove: [] },
          {
            onSuccess: () => {
              setLabel("");
            },
          },
        );
      }}
    >
      <label>
        New label
        <input
          maxLength={64}
          autoComplete="off"
          value={label}
          onChange={({ target }) => {
            setLabel(target.value);
          }}
        />
      </label>
      {labels.map((label) => (
        <button
          key={label}
          type="button"
          className="quiet"
          onClick={() => {
            remark.mutate({ type: "thread.labelled", add: [], remove: [label] });
          }}
        >
          Remove {label}
        </button>
      ))}
      {remark.error !== null && <Failure error={remark.error} />}
      <button type="submit" disabled={label.trim() === "" || remark.isPending}>
        Add label
      </button>
    </form>
  );
}

function NewJudgement() {
  const [criterion, setCriterion] = useState("");
  const [verdict, setVerdict] = useState("pass");
  const [score, setScore] = useState("");
  const remark = useRemark();
  const id = useId();
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        remark.mutate({
          type: "thread.judged",
          criterion: criterion.trim() === "" ? null : criterion.trim(),
          verdict: verdict.trim() === "" ? null : verdict.trim(),
          score: score === "" ? null : Number(score),
        });
      }}
    >
      <label>
        Verdict
        <input
          list={id}
          maxLength={64}
          value={verdict}
          onChange={({ target }) => {
            setVerdict(target.value);
          }}
        />
      </label>
      <datalist id={id}>
        <option value="pass" />
        <option value="fail" />
      </datalist>
      <label>
        Score (optional)
        <input
          type="number"
          step="any"
          value={score}
          onChange={({ target }) => {
            setScore(target.value);
          }}
        />
      </label>
      <label>
        Criterion (else the run as a whole)
        <input
          maxLength={64}
          autoComplete="off"
          value={criterion}
          onChange={({ target }) => {
            setCriterion(target.value);
          }}
        />
      </label>
      {remark.error !== null && <Failure error={remark.error} />}
      <button type="submit" className="primary" disabled={remark.isPending}>
        {verdict.trim() === "" && score === "" ? "Take the judgement back" : "Save judgement"}
      </button>
    </form>
  );
}
