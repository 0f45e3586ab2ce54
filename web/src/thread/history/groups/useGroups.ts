import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useShortcuts } from "../../../app/keyboard";
import { useCursor } from "../../cursor";
import { Closed } from "./closed";
import { type Group, type Groups, groupsQuery, NO_GROUPS } from "./groups";

export interface ShownGroups {
  readonly groups: Groups;
  readonly closed: Closed;
  /** Whether it is not known yet which groups there are. */
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly toggle: (group: Group) => void;
  readonly closeAll: () => void;
  readonly openAll: () => void;
}

/** The groups of the thread, and which of them are folded; one with the cursor in it opens. */
export function useGroups(): ShownGroups {
  const { threadId, at, address, change } = useCursor();
  const { data, isPending, error } = useQuery(groupsQuery(threadId));
  const groups = data ?? NO_GROUPS;
  const closed = useMemo(() => new Closed(address.groups), [address.groups]);
  const around = useMemo(() => groups.at(at), [groups, at]);
  const hiding = around.find((group) => closed.has(group) && group.version < at);
  useEffect(() => {
    if (hiding !== undefined) change({ groups: closed.with(hiding, false) }, { replace: true });
  }, [hiding, closed, change]);
  const toggle = (group: Group): void => {
    const folds = !closed.has(group);
    const isInside = folds && group.version < at && at <= group.endVersion;
    change({ groups: closed.with(group, folds), ...(isInside && { at: group.version }) });
  };
  useShortcuts("History", [
    {
      key: "x",
      does: "fold or open the group at the cursor",
      run: () => {
        if (around[0] !== undefined) toggle(around[0]);
      },
    },
  ]);
  return {
    ...{ groups, closed, isPending, error, toggle },
    closeAll: () => {
      const outer = around.at(-1);
      change({ groups: Closed.all, ...(outer !== undefined && { at: outer.version }) });
    },
    openAll: () => {
      change({ groups: undefined });
    },
  };
}
