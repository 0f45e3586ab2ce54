import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../../api/client";
import type { components } from "../../api/schema";
import { accessQuery } from "../../app/access";
import { useCursor } from "../cursor";
import { headQuery } from "../queries";
import { useTimeline } from "../timeline/timeline";
import { whyQuery } from "../why/queries";

type NewRemark = components["schemas"]["RemarkBody"];

interface Place {
  readonly version: number;
  /** Version of the event that it is about; null for the thread. */
  readonly on: number | null;
  readonly actor: string | null;
}

export interface Note extends Place {
  readonly text: string;
  /** Version of its latest change. */
  readonly edited: number | null;
}

export interface Verdict extends Place {
  readonly criterion: string | null;
  readonly verdict: string | null;
  readonly score: number | null;
  readonly comment: string | null;
}

interface Remarks {
  readonly labels: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly notes: readonly Note[];
}

/** Notes and verdicts that stand at present. */
export function remarksQuery(threadId: string) {
  return queryOptions({
    queryKey: ["remarks", threadId],
    queryFn: async ({ signal }) => {
      const path = `/v1/threads/${threadId}/views/remarks?bare=true`;
      return (await (await fetchWithKey(path, { signal })).json()) as Remarks;
    },
  });
}

/** The notes and verdicts on each event, by its version. */
export function useRemarks(): ReadonlyMap<number | null, readonly (Note | Verdict)[]> {
  const { threadId } = useCursor();
  const timeline = useTimeline();
  // the service reads the whole thread for it: most threads have no remark
  const enabled = timeline.mayHave("thread.noted") || timeline.mayHave("thread.judged");
  const { data } = useQuery({ ...remarksQuery(threadId), select: byEvent, enabled });
  return data ?? NONE;
}

const NONE: ReadonlyMap<number | null, readonly (Note | Verdict)[]> = new Map();

function byEvent({ notes, verdicts }: Remarks) {
  return Map.groupBy<number | null, Note | Verdict>([...notes, ...verdicts], ({ on }) => on);
}

/** Appends a remark; then what shows remarks is read again. */
export function useRemark() {
  const { threadId } = useCursor();
  const client = useQueryClient();
  const { data: access } = useQuery(accessQuery);
  return useMutation({
    mutationFn: async (remark: NewRemark) => {
      const actor = access?.user == null ? nameOfReader() : ""; // the service knows who signed in
      const body = actor === "" ? remark : { ...remark, metadata: { actor } };
      const path = { thread_id: threadId };
      dataOf(await api.POST("/v1/threads/{thread_id}/remarks", { params: { path }, body }));
      await Promise.all([
        client.invalidateQueries(remarksQuery(threadId)),
        client.invalidateQueries({ ...headQuery(threadId), exact: true }),
        client.invalidateQueries(whyQuery(threadId)),
      ]);
    },
  });
}

const NAME = "agentlog.name";

/** The name that the reader signs with; empty where none was given. */
export function nameOfReader(): string {
  return localStorage.getItem(NAME) ?? "";
}

export function keepNameOfReader(name: string): void {
  localStorage.setItem(NAME, name.trim());
}
