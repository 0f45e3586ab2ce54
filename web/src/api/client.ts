import createClient, { type Middleware } from "openapi-fetch";
import { withHidden } from "./hidden";
import { keyHeaders, tellKeyRefused } from "./key";
import { networkError, type Problem, problemIn } from "./problem";
import type { paths } from "./schema";

const authorized: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(keyHeaders())) request.headers.set(name, value);
    const url = request.method === "GET" ? withHidden(request.url, location) : request.url;
    return url === request.url ? request : new Request(url, request);
  },
  async onResponse({ response }) {
    if (!response.ok) throw await refusal(response);
  },
  onError({ error }) {
    return networkError(error);
  },
};

/**
 * The HTTP API, typed by its OpenAPI document.
 *
 * A refusal is thrown as a `Problem`, so that `data` is always there after an answer.
 */
export const api = createClient<paths>({ querySerializer: queryOf });
api.use(authorized);

/** A query of the API: a list is its name for each value. */
export function queryOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((item: unknown) => [name, item] as const)
      : [[name, value] as const],
  );
  const said = pairs.filter(([, value]) => value !== undefined && value !== null);
  return new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
}

/** Returns what was answered: refusals were thrown before. */
export function dataOf<T>({ data }: { data?: T }): T {
  if (data === undefined) throw new Error("the service answered without a body");
  return data;
}

/** Asks for a path whose answer is text or bytes, or JSON to be read exactly. */
export async function fetchWithKey(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...keyHeaders(), ...(init.headers as Record<string, string> | undefined) };
  const response = await fetch(withHidden(path, location), { ...init, headers }).catch(
    (error: unknown) => {
      throw networkError(error);
    },
  );
  if (!response.ok) throw await refusal(response);
  return response;
}

async function refusal(response: Response): Promise<Problem> {
  const problem = problemIn(response.status, await response.json().catch(() => null));
  if (problem.status === 401) tellKeyRefused();
  return problem;
}
