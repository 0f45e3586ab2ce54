import { Link } from "@tanstack/react-router";
import { count, countOf } from "#page/parts/format";
import { numberIn, type Recorded, textIn, valueIn } from "#page/thread/event/contents";
import { FieldTable } from "#page/thread/event/FieldTable";
import { ThreadLink } from "#page/thread/event/shown/Workers";
import { type Arm, armText, causeIn, type Experiment, type Step } from "./cause";
import styles from "./cause.module.css";

/** Which steps caused that a run failed, by runs with and without those of a good one. */
export function CauseShown({ event: { message } }: { event: Recorded }) {
  const payload = message["payload"];
  const { steps, experiments } = causeIn(payload);
  const good = textIn(payload, "good");
  const runs = count(numberIn(payload, "runs"));
  const isSpent = valueIn(payload, "budgetSpent") === true;
  return (
    <>
      <FieldTable
        label="Cause"
        rows={[
          ["Cause", steps.length === 0 ? "none shown" : <Steps steps={steps} />],
          ["Good run", good === null ? null : <ThreadLink id={good} />],
          ["Check", <code key="check">{textIn(payload, "check")}</code>],
          ["Runs", isSpent ? `${runs}, as many as were allowed` : runs],
        ]}
      />
      {experiments.length > 0 && (
        <table className={styles["experiments"]} aria-label="Experiments">
          <thead>
            <tr>
              <th scope="col">Put in</th>
              <th scope="col">Runs</th>
              <th scope="col">Passed</th>
              <th scope="col" className={styles["axis"]}>
                <span className={styles["ends"]}>
                  <span>none</span>
                  <span>all pass</span>
                </span>
              </th>
            </tr>
          </thead>
          {experiments.map((experiment, index) => (
            <ExperimentRows key={index} experiment={experiment} />
          ))}
        </table>
      )}
    </>
  );
}

const COLOURS: Readonly<Record<string, string>> = { caused: "bad", undecided: "warn" };

/** One experiment: its runs with the steps of the good run above those without. */
function ExperimentRows({ experiment }: { experiment: Experiment }) {
  const { steps, verdict, changed, control } = experiment;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" rowSpan={2}>
          <span className={`badge ${COLOURS[verdict] ?? ""}`}>{verdict}</span>
          <Steps steps={steps} />
        </th>
        <ArmCells name="with" arm={changed} />
      </tr>
      <tr>
        <ArmCells name="without" arm={control} />
      </tr>
    </tbody>
  );
}

function ArmCells({ name, arm }: { name: string; arm: Arm }) {
  const { passed, runs, forks } = arm;
  return (
    <>
      <td>{name}</td>
      <td>
        {count(passed)} of {count(runs)}
        {forks.length > 0 && <Forks forks={forks} />}
      </td>
      <td>
        <Interval arm={arm} />
      </td>
    </>
  );
}

/** The interval of an arm's rate on the axis from none to all, and the rate itself. */
function Interval({ arm }: { arm: Arm }) {
  const { passed, runs, low, high } = arm;
  if (low === null || high === null) return null;
  return (
    <svg
      className={styles["interval"]}
      viewBox="0 0 100 12"
      preserveAspectRatio="none"
      role="img"
      aria-label={armText(arm)}
    >
      <title>{armText(arm)}</title>
      <line x1="0" x2="100" y1="6" y2="6" className={styles["line"]} />
      <rect x={100 * low} width={100 * (high - low)} y="3" height="6" />
      {runs > 0 && <line x1={at(passed / runs)} x2={at(passed / runs)} y1="0" y2="12" />}
    </svg>
  );
}

/** Where a rate stands on the axis, its mark inside. */
function at(rate: number): number {
  return 1 + 98 * rate;
}

/** The forks of an arm, by what came of them. */
function Forks({ forks }: Pick<Arm, "forks">) {
  const uncounted = forks.find(({ name }) => name === "do not count")?.ids.length ?? 0;
  const all = forks.flatMap(({ ids }) => ids).length;
  return (
    <details>
      <summary>
        {countOf(all, "fork")}
        {uncounted > 0 && `, ${uncounted} do not count`}
      </summary>
      {forks.map(({ name, ids }) => (
        <p key={name}>
          {name}:{" "}
          {ids.map((id) => (
            <span key={id}>
              <Link to="/threads/$threadId" params={{ threadId: id }}>
                {id}
              </Link>{" "}
            </span>
          ))}
        </p>
      ))}
    </details>
  );
}

/** Steps of this thread, each with the way there. */
function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <span className={styles["steps"]}>
      {steps.map(({ kind, version }) => (
        <Link key={version} to="." search={(before) => ({ ...before, at: version })}>
          {kind} at {count(version)}
        </Link>
      ))}
    </span>
  );
}
