import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../../../api/client";
import type { components } from "../../../api/schema";

/** Events that belong together, as the service says; no two groups cross. */
export type Group = components["schemas"]["Group"];

/** The groups of a thread, as far as it has come. */
export function groupsQuery(threadId: string) {
  return queryOptions({
    queryKey: ["groups", threadId],
    queryFn: async ({ signal }) => {
      const outline = dataOf(
        await api.GET("/v1/threads/{thread_id}/outline", {
          params: { path: { thread_id: threadId }, query: { steps: false } },
          signal,
        }),
      );
      return new Groups(outline.groups);
    },
  });
}

/** The groups of a thread, in the order in which they begin. */
export class Groups {
  private readonly heads: ReadonlyMap<number, Group>;
  /** The index of the group around each one; -1 where there is none. */
  private readonly around: number[] = [];
  readonly list: readonly Group[];

  constructor(list: readonly Group[]) {
    this.list = list;
    this.heads = new Map(list.map((group) => [group.version, group]));
    let outer = -1;
    for (const [index, { version }] of list.entries()) {
      outer = this.last(outer, version);
      this.around.push(outer);
      outer = index;
    }
  }

  /** The group that begins at a version. */
  beginningAt(version: number): Group | undefined {
    return this.heads.get(version);
  }

  /** The groups that a version lies in, the innermost first; that which begins there too. */
  at(version: number): Group[] {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.list[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    const groups: Group[] = [];
    for (let index = this.last(low - 1, version); index >= 0; index = this.around[index] ?? -1) {
      const group = this.list[index];
      if (group !== undefined) groups.push(group);
    }
    return groups;
  }

  /** Groups around an event; the one that it begins does not count. */
  depthAt(version: number): number {
    return this.beginningAt(version)?.depth ?? this.at(version).length;
  }

  /** From a group outwards, the first that has not ended before a version. */
  private last(index: number, version: number): number {
    let outer = index;
    while (outer >= 0 && (this.list[outer]?.endVersion ?? 0) < version) {
      outer = this.around[outer] ?? -1;
    }
    return outer;
  }
}

export const NO_GROUPS = new Groups([]);
