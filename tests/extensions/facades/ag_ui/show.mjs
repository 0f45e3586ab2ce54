// Shows threads by the client of AG-UI: node show.mjs ADDRESS THREAD… [-- RESPONSES]
// Prints for each what the client ends with; RESPONSES answer the interrupts, and it runs again.
import { HttpAgent, buildResumeArray } from "@ag-ui/client";

const words = process.argv.slice(2);
const [address, ...rest] = words;
const [threads, answer] = rest.includes("--")
  ? [rest.slice(0, rest.indexOf("--")), JSON.parse(rest.at(-1))]
  : [rest, null];
for (const threadId of threads) {
  const agent = new HttpAgent({ url: `${address}/agui/${threadId}`, threadId });
  const shown = async (input) => {
    await agent.runAgent(input);
    const { messages, state, pendingInterrupts } = agent;
    console.log(JSON.stringify({ messages, state, pendingInterrupts }));
  };
  await shown();
  if (answer) {
    const responses = Object.fromEntries(agent.pendingInterrupts.map(({ id }) => [id, answer]));
    await shown({ resume: buildResumeArray(agent.pendingInterrupts, responses) });
  }
}
