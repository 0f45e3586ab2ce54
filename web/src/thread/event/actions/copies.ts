import { fetchWithKey } from "../../../api/client";
import { type Json, parseExact, printExact } from "../../../api/exact";
import { listIn, numberIn } from "../contents";
import { around } from "./exportLine";
import { messagesPath, nextStep, pytestOf, type Source } from "./snippets";

/** The OpenAI messages at a version, indented. */
export async function messagesAt(threadId: string, at: number): Promise<string> {
  return printExact(await exactly(messagesPath(threadId, at)), 2);
}

/** A test of the answer that follows a place. */
export async function testOf(source: Source): Promise<string> {
  const path = `/v1/threads/${source.threadId}/views/openai?bare=true`;
  const all = (await exactly(path)) as readonly Json[];
  const upToHere = (await exactly(messagesPath(source.threadId, source.at))) as readonly Json[];
  const step = nextStep(all, upToHere.length);
  if (step === null) throw new Error("the thread has no answer of the assistant");
  return pytestOf(source, step);
}

/** The whole thread as `agentlog export` writes it. */
export async function exportedThread(threadId: string): Promise<Blob> {
  const thread = `/v1/threads/${threadId}`;
  const head = await exactly(thread);
  const at = `at=${numberIn(head, "version") ?? ""}`;
  const [messages, closing] = await Promise.all([
    fetchWithKey(`${thread}/views/kernel?bare=true&metadata=true&${at}`),
    exactly(`${thread}/messages?filter=type:thread.closed&limit=1&${at}`),
  ]);
  const [before, after] = around(head, listIn(closing, "items")[0]);
  return new Blob([before, await messages.blob(), after]);
}

async function exactly(path: string): Promise<Json> {
  return parseExact(await (await fetchWithKey(path)).text());
}
