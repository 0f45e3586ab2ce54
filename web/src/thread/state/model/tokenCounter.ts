/** A report of the worker: the counts of the next texts of its order. */
export interface Counted {
  readonly counts: readonly number[];
}

/** What is needed of a Worker. */
export interface CountingWorker {
  postMessage(texts: readonly string[]): void;
  addEventListener(type: "message", listener: (event: { data: Counted }) => void): void;
  addEventListener(type: "error", listener: () => void): void;
  terminate(): void;
}

/** Characters of texts whose counts are kept. */
const MOST_KEPT = 20_000_000;

/**
 * Counts the tokens of texts in a worker, and keeps the counts.
 *
 * A new order overtakes the one before: the worker is stopped in the middle of a text, as one text
 * may take minutes.
 */
export class TokenCounter {
  readonly #start: () => CountingWorker;
  readonly #listeners = new Set<() => void>();
  readonly #known = new Map<string, number>();
  #keptCharacters = 0;
  #worker: CountingWorker | null = null;
  #ordered: readonly string[] = [];
  #done = 0;
  #revision = 0;
  #hasFailed = false;

  constructor(start: () => CountingWorker) {
    this.#start = start;
  }

  /** Counts those of the texts that are not known yet. */
  count(texts: readonly string[]): void {
    if (this.#keptCharacters > MOST_KEPT) this.#forget();
    const missing = [...new Set(texts)].filter((text) => !this.#known.has(text));
    const underWay = new Set(this.#ordered.slice(this.#done));
    if (missing.length > 0 && missing.every((text) => underWay.has(text))) return;
    this.stop();
    if (missing.length === 0) return;
    this.#ordered = missing;
    this.#done = 0;
    if (this.#worker === null) {
      const worker = this.#start();
      worker.addEventListener("message", ({ data }) => {
        if (worker === this.#worker) this.#keep(data.counts);
      });
      worker.addEventListener("error", () => {
        this.#hasFailed = true;
        this.stop();
        this.#tell();
      });
      this.#worker = worker;
    }
    this.#hasFailed = false;
    this.#worker.postMessage(missing);
  }

  /** Ends what is under way; what was counted stays. */
  stop(): void {
    if (this.#done === this.#ordered.length) return;
    this.#worker?.terminate();
    this.#worker = null;
    this.#ordered = [];
    this.#done = 0;
  }

  /** Returns the tokens of texts together; null while one of them is not counted. */
  sum(texts: readonly string[]): number | null {
    let total = 0;
    for (const text of texts) {
      const tokens = this.#known.get(text);
      if (tokens === undefined) return null;
      total += tokens;
    }
    return total;
  }

  /** Whether the worker could not be loaded, or broke. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Changes with each report; for `useSyncExternalStore`. */
  readonly revision = (): number => this.#revision;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #keep(counts: readonly number[]): void {
    for (const count of counts) {
      const text = this.#ordered[this.#done] ?? "";
      this.#known.set(text, count);
      this.#keptCharacters += text.length;
      this.#done += 1;
    }
    this.#tell();
  }

  #tell(): void {
    this.#revision += 1;
    for (const listener of this.#listeners) listener();
  }

  #forget(): void {
    this.#known.clear();
    this.#keptCharacters = 0;
  }
}
