/** The conditions of a report's row: all must hold, each for one of its values. */
export interface Asked {
  readonly report: string;
  readonly conditions: readonly { readonly name: string; readonly values: readonly unknown[] }[];
  /** Times as the report says them. */
  readonly from: string | null;
  readonly to: string | null;
  readonly clock: string;
}

/** The table of each report, with its producer's time and the rows that count. */
const TABLES: Record<string, { table: string; sent: string; only?: string }> = {
  usage: { table: "model_calls", sent: "requested_sent_at" },
  models: { table: "model_calls", sent: "requested_sent_at" },
  tools: { table: "tool_calls", sent: "called_sent_at" },
  slowest: { table: "tool_calls", sent: "called_sent_at", only: "item.latency_ms IS NOT NULL" },
  failures: { table: "tool_calls", sent: "called_sent_at", only: "item.outcome = 'failed'" },
  suspects: { table: "tool_calls", sent: "called_sent_at", only: "item.suspected IS NOT NULL" },
  loops: { table: "suspicions", sent: "recorded_at", only: "item.loops > 0" },
  outliers: { table: "suspicions", sent: "recorded_at", only: "item.suspected > 0" },
  approvals: { table: "approvals", sent: "asked_sent_at" },
  workers: { table: "workers", sent: "spawned_sent_at" },
  threads: { table: "threads", sent: "first_sent_at" },
  outcomes: { table: "threads", sent: "first_sent_at" },
};
const TIMES = ["hour", "day", "week", "month"];

/** Returns the SQL statement that lists the threads of a row, with how many rows each has. */
export function questionOf({ report, conditions, from, to, clock }: Asked): string {
  const { table, sent, only } = TABLES[report] ?? { table: "threads", sent: "first_sent_at" };
  const at = clock === "sent" ? `item.${sent}` : "item.recorded_at";
  const where = [
    ...(only === undefined ? [] : [only]),
    ...conditions.map(({ name, values }) => condition(name, values, table, at)),
    ...(from === null ? [] : [`${at} >= ${moment(from)}`]),
    ...(to === null ? [] : [`${at} < ${moment(to)}`]),
  ];
  const ofThreads = conditions.some(
    ({ name }) => name === "parent" || name.startsWith("metadata."),
  );
  return [
    `SELECT item.thread_id, count(*) AS ${table === "threads" ? "threads" : "rows"},`,
    "  min(item.version) AS first_version, max(item.recorded_at) AS last_at",
    `FROM ${table} AS item`,
    ...(ofThreads ? ["LEFT JOIN threads AS thread USING (thread_id)"] : []),
    ...where.map((each, index) => `${index === 0 ? "WHERE" : "  AND"} ${each}`),
    "GROUP BY item.thread_id",
    "ORDER BY last_at DESC",
  ].join("\n");
}

function condition(name: string, values: readonly unknown[], table: string, at: string): string {
  if (name.startsWith("metadata.")) {
    const place = `thread.metadata::jsonb -> ${quoted(name.slice("metadata.".length))}`;
    return anyOf(
      values.map((each) => (each === null ? `${place} IS NULL` : `${place} = ${json(each)}`)),
    );
  }
  if (TIMES.includes(name)) {
    const start = `date_trunc('${name}', ${at}, 'UTC')`;
    return anyOf(
      values.map((each) => (each === null ? `${at} IS NULL` : `${start} = ${moment(text(each))}`)),
    );
  }
  if (table === "suspicions" && ["rule", "tool", "command", "model"].includes(name)) {
    const marks = values.map((each) => `item.marks::jsonb @> ${mark(name, each)}`);
    return anyOf(marks);
  }
  if (name === "rule") {
    const rules = "string_to_array(item.suspected, ' ')";
    return anyOf(values.map((each) => `${quoted(text(each))} = ANY(${rules})`));
  }
  if (name === "label") {
    return anyOf(
      values.map((each) =>
        each === null
          ? "item.labels = '[]'"
          : `item.labels::jsonb @> ${quoted(JSON.stringify([each]))}::jsonb`,
      ),
    );
  }
  const column = columnOf(name, table);
  return anyOf(
    values.map((each) =>
      each === null ? `${column} IS NULL` : `${column} = ${quoted(text(each))}`,
    ),
  );
}

function columnOf(name: string, table: string): string {
  if (name === "thread") return "item.thread_id";
  if (name === "parent") return "thread.parent";
  if (name === "actor") return "item.answered_by";
  if (name === "outcome") return "coalesce(item.outcome, 'open')";
  if (name === "verdict") return "coalesce(item.verdict, 'unknown')";
  if (name === "model" && table === "tool_calls") return MODEL_OF_CALL;
  return `item.${name}`;
}

/** A tool call's model is that of the response that asked for it. */
const MODEL_OF_CALL = `(SELECT model FROM model_calls AS asked
    WHERE asked.thread_id = item.thread_id AND asked.response_id = item.response_id
    ORDER BY asked.position DESC LIMIT 1)`;

function anyOf(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? alternatives.join("") : `(${alternatives.join(" OR ")})`;
}

/** A filter's text is a number, true or false where it reads as one, as in the list of threads. */
function json(value: unknown): string {
  const isJson = typeof value === "string" && /^(-?\d+(\.\d+)?|true|false|".*")$/s.test(value);
  return `${quoted(isJson ? value : JSON.stringify(value))}::jsonb`;
}

function mark(name: string, value: unknown): string {
  return `${quoted(JSON.stringify([{ [name]: value }]))}::jsonb`;
}

function moment(value: string): string {
  return `TIMESTAMPTZ ${quoted(value.length === 10 ? `${value}T00:00:00Z` : value)}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
