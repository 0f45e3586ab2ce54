import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type Shortcut, useShortcuts } from "../../app/keyboard";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";
import { useTimeline } from "../timeline/timeline";
import { spawnedAt } from "./queries";

/** The keys into the worker at the cursor, and out to the thread that this one works for. */
export function useWorkerKeys(): void {
  const { threadId, at } = useCursor();
  const timeline = useTimeline();
  const router = useRouter();
  const { data: head } = useQuery(headQuery(threadId));
  const open = (thread: string, version?: number): void => {
    void router.navigate({
      to: "/threads/$threadId",
      params: { threadId: thread },
      search: version === undefined ? {} : { at: version },
    });
  };
  const worker = timeline.at(at).find((span) => span.threadId !== null)?.threadId ?? null;
  const parent = head?.parent ?? null;
  const shortcuts: Shortcut[] = [];
  if (worker !== null) {
    shortcuts.push({
      key: "i",
      does: "into the worker at the cursor",
      run: () => {
        open(worker);
      },
    });
  }
  if (parent !== null) {
    shortcuts.push({
      key: "o",
      does: "out to the thread that this one works for",
      run: () => {
        void spawnedAt(parent, threadId)
          .catch(() => null)
          .then((version) => {
            open(parent, version ?? undefined);
          });
      },
    });
  }
  useShortcuts("Workers", shortcuts);
}
