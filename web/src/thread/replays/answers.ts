import type { Json } from "../../api/exact";
import { countOf } from "../../parts/format";
import { listIn, numberIn, textIn } from "../event/contents";

/** How a request of a replay was answered, as its report has it. */
export interface Answer {
  /** The number of the request in the replay. */
  readonly request: number | null;
  /** The rung by which it was found on the tape, `live` or `given`. */
  readonly by: string;
  /** The first place where it was not equal to the recorded one; null where it was. */
  readonly difference: Difference | null;
  /** The ids of the messages that the answer is in this thread. */
  readonly messages: readonly string[];
}

export interface Difference {
  readonly place: string;
  readonly recorded: string;
  readonly requested: string;
}

/** The answers of a replay's report, in the order of their requests; none of an old report. */
export function answersIn(payload: Json | undefined): Answer[] {
  return listIn(payload, "answers").map((answer) => {
    const place = textIn(answer, "place");
    return {
      request: numberIn(answer, "request"),
      by: textIn(answer, "by") ?? "",
      difference:
        place === null
          ? null
          : {
              place,
              recorded: textIn(answer, "recorded") ?? "",
              requested: textIn(answer, "asked") ?? "",
            },
      messages: listIn(answer, "messages").filter((id) => typeof id === "string"),
    };
  });
}

/** What a way of answering is called, and what it means. */
interface Way {
  readonly name: string;
  readonly meaning: string;
}

const WAYS: Readonly<Record<string, Way>> = {
  exact: { name: "exact", meaning: "From the tape: its request was equal to the recorded one." },
  normalised: {
    name: "normalised",
    meaning: "From the tape: its request was equal but for dates, folders and the like.",
  },
  outputs: {
    name: "tool output differs",
    meaning: "From the tape: its request was equal but for what tools gave back.",
  },
  reconstructed: {
    name: "reconstructed",
    meaning: "From the tape, as its messages say it: no exchange was recorded.",
  },
  live: { name: "live", meaning: "The provider answered anew." },
  given: { name: "put in", meaning: "It was given to the replay, in the model's place." },
};

export function wayOf(by: string): Way {
  return Object.hasOwn(WAYS, by) ? (WAYS[by] as Way) : { name: by, meaning: "" };
}

const COUNTS = ["exact", "normalised", "outputs", "given"] as const;

/** How many requests of a replay were answered how: `3 exact, 1 live`. */
export function replayText(payload: Json | undefined): string {
  const counts = COUNTS.map((by) => [wayOf(by).name, numberIn(payload, by) ?? 0] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const live = numberIn(payload, "liveCalls");
  if (live !== null) counts.push(`${live} live`);
  const [unmatched, unused] = [listIn(payload, "unmatched"), listIn(payload, "unused")];
  if (unmatched.length > 0) counts.push(`${unmatched.length} not on the tape`);
  if (unused.length > 0) counts.push(`${countOf(unused.length, "answer")} not used`);
  return counts.join(", ");
}

/** The text that is equal in both forms before and after what differs, and what differs. */
export function partsOf({ recorded, requested }: Difference): {
  readonly before: string;
  readonly recorded: string;
  readonly requested: string;
  readonly after: string;
} {
  const shorter = Math.min(recorded.length, requested.length);
  let start = 0;
  while (start < shorter && recorded[start] === requested[start]) start += 1;
  let end = 0;
  while (end < shorter - start && recorded.at(-1 - end) === requested.at(-1 - end)) end += 1;
  return {
    before: recorded.slice(0, start),
    recorded: recorded.slice(start, recorded.length - end),
    requested: requested.slice(start, requested.length - end),
    after: recorded.slice(recorded.length - end),
  };
}
