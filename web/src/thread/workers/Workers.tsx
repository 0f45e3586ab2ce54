import { useQuery } from "@tanstack/react-query";
import { count } from "../../parts/format";
import { Popover } from "../../parts/Popover";
import { type WordCounts, Words } from "../../parts/Words";
import { workersQuery } from "./queries";
import { useWorkerKeys } from "./useWorkerKeys";
import { WorkerTree } from "./WorkerTree";

/** The way to the tree of workers that a thread stands in, and what failed below it. */
export function Workers({ threadId }: { threadId: string }) {
  useWorkerKeys();
  const { data: tree } = useQuery(workersQuery(threadId));
  const own = tree?.items.find((node) => node.threadId === threadId);
  if (tree === undefined || own === undefined || tree.items.length < 2) return null;
  const below = (name: keyof WordCounts): number => own.whole[name] - own.own[name];
  return (
    <>
      <Popover label={`Workers ${count(tree.items.length - 1)}${tree.truncated ? "+" : ""}`} isWide>
        <WorkerTree threadId={threadId} nodes={tree.items} isCut={tree.truncated} />
      </Popover>
      <Words
        of={{ failures: below("failures"), told: below("told"), suspected: below("suspected") }}
        title="In its workers"
      />
    </>
  );
}
