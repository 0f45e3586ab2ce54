/** The shortest time between two changes of the address; browsers refuse more than 20 a second. */
const PACE_MS = 60;
/** Milliseconds after which a move is given up if the address has not changed. */
const PATIENCE_MS = 1000;

type Go = (version: number, options: { replace: boolean }) => void;

export interface MoveOptions {
  /** Of a drag, a held key or a play: the move goes on from the one before. */
  readonly isContinued?: boolean;
  /** Whether it is one of a row of steps. */
  readonly isStep?: boolean;
}

/**
 * Moves of the cursor, at the pace that a browser's history allows.
 *
 * A move that continues another (of a drag, a held key, a play) and a step after a step replace its
 * entry of the history, so that "back" returns to where the first one began. `wanted` is where the cursor will be once
 * the address has followed; null if it has.
 */
export class Moves {
  wanted: number | null = null;
  #sent = 0;
  #hasEntry = true;
  #isStepping = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Makes the next move an entry of its own, as the first of a drag or a play. */
  begin(): void {
    this.#hasEntry = false;
  }

  move(version: number, go: Go, { isContinued = false, isStep = false }: MoveOptions = {}): void {
    clearTimeout(this.#timer);
    this.#want(version);
    const replace = (isContinued && this.#hasEntry) || (isStep && this.#isStepping);
    this.#hasEntry = true;
    this.#isStepping = isStep;
    const send = (): void => {
      this.#sent = this.#now();
      this.#timer = setTimeout(() => {
        this.#want(null);
      }, PATIENCE_MS);
      go(version, { replace });
    };
    const wait = replace ? this.#sent + PACE_MS - this.#now() : 0;
    if (wait <= 0) send();
    else this.#timer = setTimeout(send, wait);
  }

  /** Says where the address stands now. */
  arrive(version: number): void {
    if (version !== this.wanted) {
      this.#isStepping = false; // another part of the screen moved the cursor
      return;
    }
    clearTimeout(this.#timer);
    this.#want(null);
  }

  #want(version: number | null): void {
    this.wanted = version;
    for (const listener of this.#listeners) listener();
  }
}
