import { type Json, printExact } from "../../api/exact";

/** A remark as an event has it. */
interface RemarkEvent {
  readonly type: string;
  readonly message: Fields;
  readonly metadata: Fields;
}

type Fields = { readonly [key: string]: Json };

/** What a judgement says: `policy: fail, 0.2`. */
export interface Judgement {
  readonly criterion: string | null;
  readonly verdict: string | null;
  readonly score: number | string | null;
}

/** The parts of what a remark says, for a line. */
export function remarkTexts({ type, message, metadata }: RemarkEvent): readonly string[] {
  return [
    ...(type === "thread.noted" ? noteTexts(message) : []),
    ...(type === "thread.labelled" ? labelTexts(message) : []),
    ...(type === "thread.judged" ? judgementTexts(message) : []),
    ...(typeof message["on"] === "number" ? [`on ${message["on"]}`] : []),
    ...(typeof metadata["actor"] === "string" ? [`by ${metadata["actor"]}`] : []),
  ];
}

/** What a judgement says: `policy: fail, 0.2`. */
export function judgementText({ criterion, verdict, score }: Judgement): string {
  const said = [verdict, score].filter((part) => part !== null).join(", ");
  return criterion === null ? said : `${criterion}: ${said}`;
}

function noteTexts({ text, replaces }: Fields): readonly string[] {
  const of = typeof replaces === "number" ? `the note of ${replaces}` : "";
  if (typeof text !== "string") return [`takes back ${of}`];
  return of === "" ? [text] : [text, `changes ${of}`];
}

function labelTexts(message: Fields): readonly string[] {
  const [added, removed] = [words(message["add"]), words(message["remove"])];
  return [
    ...(added.length > 0 ? [added.join(", ")] : []),
    ...(removed.length > 0 ? [`without ${removed.join(", ")}`] : []),
  ];
}

function judgementTexts(message: Fields): readonly string[] {
  const criterion = word(message["criterion"]);
  const [verdict, score] = [word(message["verdict"]), figure(message["score"])];
  const isTakenBack = verdict === null && score === null;
  const said = isTakenBack
    ? `no judgement any more${criterion === null ? "" : ` by ${criterion}`}`
    : judgementText({ criterion, verdict, score });
  const comment = word(message["comment"]);
  return comment === null ? [said] : [said, comment];
}

function word(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function figure(value: Json | undefined): number | string | null {
  if (typeof value === "number") return value;
  return value === undefined || value === null ? null : printExact(value);
}

function words(value: Json | undefined): readonly string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string")
    : [];
}
