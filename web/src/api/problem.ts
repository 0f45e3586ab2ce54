/** A refusal of the service: a problem of RFC 9457. */
export class Problem extends Error {
  readonly status: number;
  readonly type: string;
  readonly title: string;

  constructor(status: number, type: string, title: string, detail: string) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.type = type;
    this.title = title;
  }

  /** The last part of the type: `unknown-thread`. */
  get code(): string {
    return this.type.slice(this.type.lastIndexOf(":") + 1);
  }
}

/** The problem in a refusal, whatever its body is. */
export function problemIn(status: number, body: unknown): Problem {
  const said = typeof body === "object" && body !== null ? body : {};
  const text = (name: string, otherwise: string): string => {
    const value: unknown = Reflect.get(said, name);
    return typeof value === "string" ? value : otherwise;
  };
  const title = text("title", `The service answered ${status}`);
  return new Problem(status, text("type", "about:blank"), title, text("detail", title));
}

/** An answer; null where the service has no such view or route: its extension is not installed. */
export async function ifThere<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (error instanceof Problem && NOT_INSTALLED.has(error.code)) return null;
    throw error;
  });
}

const NOT_INSTALLED: ReadonlySet<string> = new Set(["no-such-route", "unknown-view"]);

/** What a failed `fetch` means; an abort stays what it is. */
export function networkError(error: unknown): Error {
  return error instanceof Error && error.name === "AbortError" ? error : new Unreachable();
}

/** The service gave no answer. */
export class Unreachable extends Error {
  constructor() {
    super("It may be stopped, or the network is down.");
    this.name = "Unreachable";
  }
}
