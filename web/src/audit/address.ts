import { prune, type Search, textIn, wholeIn } from "../app/address";

/** What is verified: the log's checkpoints, a thread's chain, a message. */
export interface AuditAddress {
  thread?: string;
  /** Id of a message of the thread. */
  message?: string;
  /** Sizes of two checkpoints: whether the later log begins with the earlier. */
  from?: number;
  to?: number;
}

export function auditAddress(search: Search): AuditAddress {
  return prune({
    thread: textIn(search["thread"]),
    message: textIn(search["message"]),
    from: wholeIn(search["from"]),
    to: wholeIn(search["to"]),
  });
}
