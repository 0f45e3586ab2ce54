import { type Json, printExact } from "../../../api/exact";
import { isFields, textIn, valueIn } from "../contents";

/**
 * A thread as the line that `agentlog export` writes and `agentlog import` reads: what is before
 * and after the list of its messages, which stays as it came.
 *
 * `closing` is the event that closed the thread, if one did.
 */
export function around(head: Json, closing: Json | undefined): [before: string, after: string] {
  const facts = ["goal", "parent", "limits", "metadata"]
    .map((name) => [name, valueIn(head, name)] as const)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .filter(([, value]) => !isFields(value) || Object.keys(value).length > 0);
  const began = { threadId: textIn(head, "threadId"), ...Object.fromEntries(facts) };
  const before = printExact({ ...began, policy: textIn(head, "policy") });
  const reason = textIn(valueIn(closing, "message"), "reason");
  const closed =
    closing === undefined ? "" : `,"closed":${printExact(reason === null ? {} : { reason })}`;
  return [`${before.slice(0, -1)},"messages":`, `${closed}}\n`];
}
