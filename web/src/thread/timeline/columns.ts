/** Texts that repeat, each kept once. */
export class Texts<T> {
  private readonly values: T[] = [];
  private readonly places = new Map<string, number>();

  put(key: string, value: T): number {
    const known = this.places.get(key);
    if (known !== undefined) return known;
    this.places.set(key, this.values.length);
    return this.values.push(value) - 1;
  }

  get(index: number): T {
    return this.values[index] as T;
  }

  has(key: string): boolean {
    return this.places.has(key);
  }
}

/** A chain of spans for each version: the latest, and from each the one before. */
export class Chains {
  private readonly latest: (number | undefined)[] = [];
  private readonly before: number[] = [];

  add(version: number, span: number): void {
    while (this.latest.length <= version) this.latest.push(undefined);
    this.before[span] = this.latest[version] ?? -1;
    this.latest[version] = span;
  }

  /** The spans of a version before `end`, in their order. */
  of(version: number, end: number): number[] {
    const spans: number[] = [];
    for (let span = this.latest[version] ?? -1; span >= 0; span = this.before[span] ?? -1) {
      if (span < end) spans.push(span);
    }
    return spans.reverse();
  }
}
