import { Link } from "@tanstack/react-router";
import { JsonTree } from "#page/parts/JsonTree";
import { countOf } from "#page/parts/format";
import { fieldsIn, listIn, numberIn, type Recorded, textIn } from "#page/thread/event/contents";
import { FieldTable } from "#page/thread/event/FieldTable";
import styles from "#page/thread/replays/replays.module.css";
import { type Answer, answersIn, replayText } from "#page/thread/replays/answers";
import { AnswerMark, DifferenceShown } from "#page/thread/replays/AnswerMark";

/** Requests that differed, of which so many are drawn. */
const MOST_DRAWN = 100;

/** How a run was replayed: of which thread, and what was answered how. */
export function ReplayShown({ event: { message } }: { event: Recorded }) {
  const payload = message["payload"];
  const of = fieldsIn(payload, "of");
  const [thread, version] = [textIn(of, "threadId"), numberIn(of, "version")];
  return (
    <>
      <FieldTable
        label="Replay"
        rows={[
          [
            "Of",
            thread === null ? null : (
              <Link
                to="/threads/$threadId"
                params={{ threadId: thread }}
                search={version === null ? {} : { at: version }}
              >
                {thread}
                {version !== null && `@${version}`}
              </Link>
            ),
          ],
          ["Changed", textIn(payload, "changes")],
          ["Answered", replayText(payload) || null],
          ["Exit code", numberIn(payload, "commandExitCode")],
        ]}
      />
      <Differing answers={answersIn(payload).filter(({ difference }) => difference !== null)} />
      {LISTS.map(([field, name]) => {
        const values = listIn(payload, field);
        if (values.length === 0) return null;
        return (
          <section key={field}>
            <h3>{name}</h3>
            <JsonTree value={[...values]} label={name} open={2} />
          </section>
        );
      })}
    </>
  );
}

const LISTS = [
  ["unmet", "Never came to"],
  ["unmatched", "Not on the tape"],
  ["unused", "Answers not used"],
] as const;

/** The requests that were not equal to the recorded ones. */
function Differing({ answers }: { answers: readonly Answer[] }) {
  if (answers.length === 0) return null;
  const more = answers.length - MOST_DRAWN;
  return (
    <>
      <h3>Requests that differed</h3>
      {answers.slice(0, MOST_DRAWN).map(({ request, by, difference }, index) => (
        <section key={index} className={styles["answered"]}>
          <p>
            Request {request} <AnswerMark by={by} />
          </p>
          {difference !== null && <DifferenceShown difference={difference} />}
        </section>
      ))}
      {more > 0 && <p>and {countOf(more, "request")} more</p>}
    </>
  );
}
