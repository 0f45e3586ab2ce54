import { useQuery } from "@tanstack/react-query";
import { count, countOf } from "../../parts/format";
import { Popover } from "../../parts/Popover";
import { workersQuery } from "./queries";
import { useWorkerKeys } from "./useWorkerKeys";
import { WorkerTree } from "./WorkerTree";

/** The way to the tree of workers that a thread stands in, and what failed below it. */
export function Workers({ threadId }: { threadId: string }) {
  useWorkerKeys();
  const { data: tree } = useQuery(workersQuery(threadId));
  const own = tree?.items.find((node) => node.threadId === threadId);
  if (tree === undefined || own === undefined || tree.items.length < 2) return null;
  const failures = own.whole.failures - own.own.failures;
  return (
    <>
      <Popover label={`Workers ${count(tree.items.length - 1)}${tree.truncated ? "+" : ""}`} isWide>
        <WorkerTree threadId={threadId} nodes={tree.items} isCut={tree.truncated} />
      </Popover>
      {failures > 0 && (
        <span className="badge bad">{countOf(failures, "failure")} in its workers</span>
      )}
    </>
  );
}
