/** Routes that read a thread's contents: `hidden=true` lets them read a hidden one. */
const READS =
  /^\/v1\/threads\/[^/]+(?:\/(?:messages|views|outline|why|diff|changes|events|forks|workers|model-calls)(?:\/[^/]+)?)?$/;

/** A request's address, with `hidden=true` where the page's own address has it. */
export function withHidden(asked: string, page: Pick<Location, "origin" | "search">): string {
  if (new URLSearchParams(page.search).get("hidden") !== "true") return asked;
  const url = new URL(asked, page.origin);
  if (READS.test(url.pathname)) url.searchParams.set("hidden", "true");
  return url.href;
}
