import type { Json } from "../../../api/exact";

/** The service's answer: a view's items at two versions. */
export interface ItemsDifference {
  readonly added: readonly { readonly place: string; readonly item: Json }[];
  readonly changed: readonly {
    readonly place: string;
    readonly before: Json;
    readonly after: Json;
  }[];
  readonly removed: readonly { readonly place: string; readonly item: Json }[];
}

export type ItemChange =
  | { readonly kind: "added" | "removed"; readonly place: string; readonly item: Json }
  | {
      readonly kind: "changed";
      readonly place: string;
      readonly before: Json;
      readonly after: Json;
    };

/** Returns the changes by their places, `version.ordinal`; at one place the removed come first. */
export function itemChanges({ added, changed, removed }: ItemsDifference): ItemChange[] {
  const all: ItemChange[] = [
    ...removed.map((change) => ({ kind: "removed" as const, ...change })),
    ...changed.map((change) => ({ kind: "changed" as const, ...change })),
    ...added.map((change) => ({ kind: "added" as const, ...change })),
  ];
  return all.sort((left, right) => comparePlaces(left.place, right.place));
}

function comparePlaces(left: string, right: string): number {
  const [a = 0, b = 0] = left.split(".").map(Number);
  const [c = 0, d = 0] = right.split(".").map(Number);
  return a - c || b - d;
}
