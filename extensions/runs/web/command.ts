import type { ForkPlace } from "#page/extensions";
import { quote } from "#page/thread/forks/command";

/** The command that runs a recorded agent again, live from a version on; `agent` is a shell's text. */
export function forkRunCommand(
  { threadId, at, as }: ForkPlace,
  model: string,
  agent: string,
): string {
  const options = [`--from ${at}`];
  if (model !== "") options.push(`--model ${quote(model)}`);
  if (as !== "") options.push(`--as ${quote(as)}`);
  const id = quote(threadId);
  const [before, after] = threadId.startsWith("-") ? ["", `${id} `] : [`${id} `, ""];
  return `agentlog fork-run ${before}${options.join(" ")} -- ${after}${agent === "" ? "COMMAND" : agent}`;
}
