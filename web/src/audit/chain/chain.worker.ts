import { type ChainPage, type Verified, verifyPage } from "./chain";

/** Verifies pages of a chain beside the page, which stays free to be used. */

export interface Asked {
  readonly before: Verified;
  /** The bytes of a page, as the service sent them. */
  readonly bytes: ArrayBuffer;
}

/** First where the next page begins and where the thread ends, then what was found. */
export type Answer =
  | { readonly type: "read"; readonly next: string | null; readonly last: number }
  | { readonly type: "verified"; readonly verified: Verified }
  | { readonly type: "failed"; readonly message: string };

function answer(said: Answer): void {
  postMessage(said);
}

async function verify({ before, bytes }: Asked): Promise<void> {
  const page = JSON.parse(new TextDecoder().decode(bytes)) as ChainPage;
  answer({ type: "read", next: page.next, last: page.head.version });
  answer({ type: "verified", verified: await verifyPage(before, page) });
}

onmessage = ({ data }: MessageEvent<Asked>) => {
  verify(data).catch((error: unknown) => {
    answer({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  });
};
