import { useQuery } from "@tanstack/react-query";
import { fetchWithKey } from "../../api/client";
import { parseExact } from "../../api/exact";
import { listIn, recordedIn } from "../event/contents";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";
import { lastOf } from "../timeline/threadTimeline";
import { useTimeline } from "../timeline/timeline";
import { type Answer, answersIn } from "./answers";

const MOST = 100;

/** How the replays that made a fork answered, by the ids of the answers' messages. */
export function useAnswers(): ReadonlyMap<string, Answer> | null {
  const { threadId } = useCursor();
  const timeline = useTimeline();
  const { data: head } = useQuery(headQuery(threadId));
  const isFork = head !== undefined && head.forkedFrom !== null; // only forks have reports
  const last = isFork ? lastOf(timeline, "agentlog.replay") : null;
  const { data } = useQuery({
    queryKey: ["answers", threadId, last],
    enabled: last !== null,
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/messages?filter=type:agentlog.replay&limit=${MOST}`;
      const answer = parseExact(await (await fetchWithKey(path, { signal })).text());
      const reports = listIn(answer, "items").map((item) => recordedIn(item).message["payload"]);
      // what a later replay says of a message counts
      return new Map(
        reports.flatMap(answersIn).flatMap((answer) => answer.messages.map((id) => [id, answer])),
      );
    },
  });
  return data ?? null;
}
