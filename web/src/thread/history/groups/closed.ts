import type { Group } from "./groups";

/**
 * The groups that are folded, as an address names them: `v9,v49` are those that begin at these
 * versions, `all,-v9` all outermost ones but that at version 9.
 */
export class Closed {
  static readonly all = "all";
  private readonly names: ReadonlySet<string>;

  constructor(text: string | undefined) {
    this.names = new Set(text?.split(",").filter(Boolean));
  }

  has({ version, depth }: Pick<Group, "version" | "depth">): boolean {
    if (this.names.has(`v${version}`)) return true;
    return depth === 0 && this.names.has(Closed.all) && !this.names.has(`-v${version}`);
  }

  /** The address with a group folded, or open. */
  with(group: Pick<Group, "version" | "depth">, isClosed: boolean): string | undefined {
    const name = `v${group.version}`;
    const others = [...this.names].filter((other) => other !== name && other !== `-${name}`);
    const rest = new Closed(others.join());
    if (rest.has(group) !== isClosed) others.push(isClosed ? name : `-${name}`);
    return others.length === 0 ? undefined : others.join();
  }
}
