import { type ChainPage, type Verified, verifyPage } from "./chain";

/** Verifies pages of a chain in a worker, so that the page keeps responding. */

export interface VerifyTask {
  readonly before: Verified;
  /** The bytes of a page, as the service sent them. */
  readonly bytes: ArrayBuffer;
}

/** Answers: first the next page's place and the thread's last version, then the result. */
export type Answer =
  | { readonly type: "read"; readonly next: string | null; readonly last: number }
  | { readonly type: "verified"; readonly verified: Verified }
  | { readonly type: "failed"; readonly message: string };

function answer(said: Answer): void {
  postMessage(said);
}

async function verify({ before, bytes }: VerifyTask): Promise<void> {
  const page = JSON.parse(new TextDecoder().decode(bytes)) as ChainPage;
  answer({ type: "read", next: page.next, last: page.head.version });
  answer({ type: "verified", verified: await verifyPage(before, page) });
}

onmessage = ({ data }: MessageEvent<VerifyTask>) => {
  verify(data).catch((error: unknown) => {
    answer({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  });
};
