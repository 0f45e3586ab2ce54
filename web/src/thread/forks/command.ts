/** A fork at a version, and how it changes the message there. */
export interface Forking {
  readonly threadId: string;
  readonly at: number;
  /** Id of the fork; empty for a new one. */
  readonly as: string;
  readonly change: "none" | "drop" | "replace" | "insert";
  /** The file with the message that is put in. */
  readonly file: string;
}

/** The command that makes a fork, for a shell. */
export function forkCommand({ threadId, at, as, change, file }: Forking): string {
  const options = [`--at ${at}`];
  if (as !== "") options.push(`--as ${quote(as)}`);
  if (change === "drop") options.push(`--drop ${at}`);
  else if (change !== "none") options.push(`--${change} ${quote(`${at}=${file}`)}`);
  const id = quote(threadId);
  // an id that looks like an option stands after the last of them
  return threadId.startsWith("-")
    ? `agentlog fork ${options.join(" ")} -- ${id}`
    : `agentlog fork ${id} ${options.join(" ")}`;
}

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return /^[\w.:=/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
