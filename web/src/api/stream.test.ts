import { afterEach, expect, test, vi } from "vitest";
import { setKey } from "./key";
import { Problem } from "./problem";
import { type Connection, follow, type StreamedEvent } from "./stream";

const kept = new Map<string, string>();
vi.stubGlobal("sessionStorage", {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => kept.set(name, value),
  removeItem: (name: string) => kept.delete(name),
});
vi.stubGlobal("location", { origin: "http://here", search: "" });

afterEach(() => {
  setKey(null);
});

/** Answers one request after the other with these bodies, and keeps what was asked. */
function serving(...answers: Response[]): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    requests.push(new Request(`http://here${path}`, init));
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new TypeError("away")) : Promise.resolve(answer);
  });
  return requests;
}

function frames(...ids: number[]): Response {
  return new Response(ids.map((id) => `id: ${id}\nevent: item\ndata: {"n":${id}}\n\n`).join(""));
}

async function collect(until: number): Promise<{ events: StreamedEvent[]; said: Connection[] }> {
  const ending = new AbortController();
  const events: StreamedEvent[] = [];
  const said: Connection[] = [];
  await follow({
    path: "/v1/log/events",
    after: null,
    signal: ending.signal,
    onConnection: (connection) => said.push(connection),
    onEvents: (batch) => {
      events.push(...batch);
      if (events.length >= until) ending.abort();
    },
  });
  return { events, said };
}

test("after a break it goes on after the last frame, with the key as a header", async () => {
  setKey("secret");
  const requests = serving(frames(1, 2), frames(3));
  const { events, said } = await collect(3);
  expect(events.map(({ id, event }) => [id, event])).toEqual([
    ["1", "item"],
    ["2", "item"],
    ["3", "item"],
  ]);
  expect(requests.map((request) => request.headers.get("Last-Event-ID"))).toEqual([null, "2"]);
  expect(
    requests.every((request) => request.headers.get("Authorization") === "Bearer secret"),
  ).toBe(true);
  expect(requests.every((request) => !request.url.includes("secret"))).toBe(true);
  expect(said).toEqual(["connecting", "open", "waiting", "connecting", "open", "ended"]);
});

test("what is refused is thrown, and not asked again", async () => {
  const refusal = { type: "urn:agentlog:problem:unknown-thread", title: "No", detail: "No such" };
  const requests = serving(new Response(JSON.stringify(refusal), { status: 404 }));
  await expect(collect(1)).rejects.toThrow(Problem);
  expect(requests).toHaveLength(1);
});
