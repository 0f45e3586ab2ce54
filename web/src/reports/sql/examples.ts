/** Example statements. */
export const EXAMPLES: readonly { readonly title: string; readonly sql: string }[] = [
  {
    title: "Messages of each type",
    sql: "SELECT type, count(*) AS messages\nFROM messages\nGROUP BY type\nORDER BY messages DESC",
  },
  {
    title: "Messages of each day",
    sql: `SELECT date_trunc('day', recorded_at, 'UTC') AS day, count(*) AS messages
FROM messages
GROUP BY day
ORDER BY day`,
  },
  {
    title: "Threads with most tool failures",
    sql: `SELECT thread_id, goal, tool_calls, tool_failures
FROM threads
WHERE tool_failures > 0
ORDER BY tool_failures DESC
LIMIT 50`,
  },
  {
    title: "Errors of tools",
    sql: `SELECT tool, error_class, count(*) AS failures, count(DISTINCT thread_id) AS threads
FROM tool_calls
WHERE outcome = 'failed'
GROUP BY tool, error_class
ORDER BY failures DESC`,
  },
  {
    title: "Tool calls beside the reward of their threads",
    sql: `SELECT tool, threads.metadata::jsonb ->> 'reward' AS reward, count(*) AS calls
FROM tool_calls JOIN threads USING (thread_id)
GROUP BY tool, reward
ORDER BY tool, reward`,
  },
  {
    title: "How far the tables are filled",
    sql: "SELECT name, position\nFROM progress\nORDER BY name",
  },
];
