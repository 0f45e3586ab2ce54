import { fetchWithKey } from "../../api/client";
import type { Verified } from "./chain";
import type { Answer, VerifyTask } from "./chain.worker";

const PAGE_EVENTS = 1000;

/**
 * Verifies a thread's chain from where it was verified to its end: the pages are asked for here,
 * because the key is, and hashed in a worker; the next page is on its way meanwhile.
 */
export async function verifyThread(
  threadId: string,
  from: Verified,
  onProgress: (verified: Verified, last: number) => void,
  signal: AbortSignal,
): Promise<Verified> {
  const worker = new Worker(new URL("./chain.worker.ts", import.meta.url), { type: "module" });
  try {
    let verified = from;
    let page: Promise<ArrayBuffer> | null = pageAfter(threadId, String(from.version), signal);
    while (page !== null) {
      const bytes = await page;
      const { result, next, last } = await inWorker(worker, { before: verified, bytes }, (after) =>
        pageAfter(threadId, after, signal),
      );
      verified = result;
      page = next;
      onProgress(verified, last);
    }
    return verified;
  } finally {
    worker.terminate();
  }
}

async function pageAfter(
  threadId: string,
  after: string,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const path = `/v1/threads/${threadId}/chain?limit=${PAGE_EVENTS}&after=${after}`;
  return (await fetchWithKey(path, { signal })).arrayBuffer();
}

interface VerifiedPage {
  readonly result: Verified;
  readonly next: Promise<ArrayBuffer> | null;
  readonly last: number;
}

function inWorker(
  worker: Worker,
  task: VerifyTask,
  fetchNext: (after: string) => Promise<ArrayBuffer>,
): Promise<VerifiedPage> {
  return new Promise((resolve, reject) => {
    let next: Promise<ArrayBuffer> | null = null;
    let last = 0;
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.type === "failed") reject(new Error(data.message));
      else if (data.type === "verified") resolve({ result: data.verified, next, last });
      else {
        last = data.last;
        next = data.next === null ? null : fetchNext(data.next);
        next?.catch(() => undefined); // it is awaited later, and refused there
      }
    };
    worker.onerror = (event) => {
      reject(new Error(`the worker failed: ${event.message}`));
    };
    worker.postMessage(task, [task.bytes]);
  });
}
