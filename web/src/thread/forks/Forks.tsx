import { useQuery } from "@tanstack/react-query";
import { count } from "../../parts/format";
import { Popover } from "../../parts/Popover";
import { ForkTree } from "./ForkTree";
import { forksQuery } from "./queries";

/** The way to the tree of forks that a thread stands in; nothing where it has no other thread. */
export function Forks({ threadId }: { threadId: string }) {
  const { data: tree } = useQuery(forksQuery(threadId));
  const forks = (tree?.items.length ?? 0) - 1;
  if (tree === undefined || forks < 1) return null;
  return (
    <Popover label={`Forks ${count(forks)}${tree.truncated ? "+" : ""}`} isWide>
      <ForkTree threadId={threadId} nodes={tree.items} isCut={tree.truncated} />
    </Popover>
  );
}
