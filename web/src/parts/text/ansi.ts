/** A part of a text in one style of a terminal. */
export interface Run {
  readonly text: string;
  /** Name of a colour of the page; null for that of the text. */
  readonly colour: string | null;
  readonly isBold: boolean;
}

// eslint-disable-next-line no-control-regex -- the escape character is what terminals read
const STYLE = /\u001b\[([\d;]*)m/g;

/** The colours of ECMA-48, from black to white, in those of the page. */
const COLOURS = ["soft", "bad", "ok", "warn", "accent", "person", "tool", null] as const;

/** Returns a text as runs of one style, without the sequences of a terminal that set it. */
export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let style: Omit<Run, "text"> = { colour: null, isBold: false };
  let from = 0;
  for (const sequence of text.matchAll(STYLE)) {
    if (sequence.index > from) runs.push({ text: text.slice(from, sequence.index), ...style });
    style = (sequence[1] ?? "").split(";").reduce(applyStyle, style);
    from = sequence.index + sequence[0].length;
  }
  if (from < text.length || runs.length === 0) runs.push({ text: text.slice(from), ...style });
  return runs;
}

/** Returns a text without the sequences of a terminal that set its style. */
export function stripStyles(text: string): string {
  return text.replace(STYLE, "");
}

function applyStyle(style: Omit<Run, "text">, parameter: string): Omit<Run, "text"> {
  const code = Number(parameter);
  if (code === 0) return { colour: null, isBold: false };
  if (code === 1 || code === 22) return { ...style, isBold: code === 1 };
  if (code === 39) return { ...style, colour: null };
  const isColour = (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
  return isColour ? { ...style, colour: COLOURS[code % 10] ?? null } : style;
}
