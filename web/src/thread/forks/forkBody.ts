import type { Forking } from "./command";

/**
 * The request that makes a fork. The message goes as it was written: its numbers stay exact.
 *
 * Throws where the message is no JSON.
 */
export function forkBody(forking: Forking & { readonly message: string }): string {
  const { at, as, change, message } = forking;
  const id = as === "" ? "" : `,"threadId":${JSON.stringify(as)}`;
  return `{"at":"${at}"${id},"edits":[${editOf(at, change, message)}]}`;
}

function editOf(at: number, change: Forking["change"], message: string): string {
  if (change === "none") return "";
  if (change === "drop") return `{"drop":${at}}`;
  try {
    JSON.parse(message);
  } catch (error) {
    throw new Error(`The message is no JSON: ${String(error)}`, { cause: error });
  }
  return `{"${change}":${at},"message":${message}}`;
}
