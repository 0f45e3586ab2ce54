import { useMemo } from "react";
import { Boundary } from "../../../parts/Boundary";
import { LongText } from "../../../parts/text/LongText";
import styles from "../state.module.css";
import { textDiff } from "./textDifference";

/** Runs that are drawn; a text with more differences is cut. */
const MOST_RUNS = 500;
const LONGEST_RUN = 5_000;

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
}

/** Two texts as one, with removed and added parts marked; one after the other where that fails. */
export function TextDiff(props: TextDiffProps) {
  const plain = () => (
    <>
      <LongText text={props.before} />
      <LongText text={props.after} />
    </>
  );
  return (
    <Boundary of={props.after} fallback={plain}>
      <Runs {...props} />
    </Boundary>
  );
}

function Runs({ before, after }: TextDiffProps) {
  const runs = useMemo(() => textDiff(before, after), [before, after]);
  return (
    <div className={`text ${styles["textDiff"] ?? ""}`}>
      {runs.slice(0, MOST_RUNS).map(({ kind, text }, index) => {
        const beginning =
          text.length > LONGEST_RUN
            ? `${text.slice(0, LONGEST_RUN)} … (${text.length} characters)`
            : text;
        if (kind === "added") return <ins key={index}>{beginning}</ins>;
        if (kind === "removed") return <del key={index}>{beginning}</del>;
        return <span key={index}>{beginning}</span>;
      })}
      {runs.length > MOST_RUNS && <i> … {runs.length - MOST_RUNS} more differences</i>}
    </div>
  );
}
