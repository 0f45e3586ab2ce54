import type { paths } from "./schema";

/** The routes of the OpenAPI document that read a thread and take `hidden`. */
type HiddenReads = {
  [Path in keyof paths & `/v1/threads/{thread_id}${string}`]: paths[Path] extends {
    get: { parameters: { query?: infer Query } };
  }
    ? Query extends object
      ? "hidden" extends keyof Query
        ? Path
        : never
      : never
    : never;
}[keyof paths & `/v1/threads/{thread_id}${string}`];

/** All of them: the type refuses a list that lacks one, or has one too many. */
const READS: Record<HiddenReads, true> = {
  "/v1/threads/{thread_id}": true,
  "/v1/threads/{thread_id}/changes": true,
  "/v1/threads/{thread_id}/diff": true,
  "/v1/threads/{thread_id}/events": true,
  "/v1/threads/{thread_id}/forks": true,
  "/v1/threads/{thread_id}/matches": true,
  "/v1/threads/{thread_id}/messages": true,
  "/v1/threads/{thread_id}/messages/{message_id}": true,
  "/v1/threads/{thread_id}/model-calls/{version}": true,
  "/v1/threads/{thread_id}/outline": true,
  "/v1/threads/{thread_id}/views/{view}": true,
  "/v1/threads/{thread_id}/why": true,
  "/v1/threads/{thread_id}/workers": true,
};

const PATHS = Object.keys(READS).map(
  (path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
);

/** A request's address, with `hidden=true` where the page's own address has it. */
export function withHidden(path: string, page: Pick<Location, "origin" | "search">): string {
  if (new URLSearchParams(page.search).get("hidden") !== "true") return path;
  const url = new URL(path, page.origin);
  if (PATHS.some((path) => path.test(url.pathname))) url.searchParams.set("hidden", "true");
  return url.href;
}
