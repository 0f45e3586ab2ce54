import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { LONGEST_SQL } from "../address";
import { ask, QueryRefused } from "./sql";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** When the reader ran the statement; a link from elsewhere shows it without running it. */
    ran?: number;
    /** The statement, where the address is too short for it. */
    sql?: string;
  }
}

const route = getRouteApi("/sql");

/** The statement that is written, the one that was run, and the answer of that. */
export function useStatement() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { ran, sql: long } = useLocation({ select: ({ state }) => state });
  const asked = long ?? address.sql ?? "";
  const [changed, setChanged] = useState({ from: asked, to: asked });
  const draft = changed.from === asked ? changed.to : asked;
  const setDraft = (to: string): void => {
    setChanged({ from: asked, to });
  };
  const answer = useQuery({
    queryKey: ["sql", asked, ran],
    enabled: ran !== undefined && asked !== "",
    retry: false,
    queryFn: ({ signal }) => ask(asked, signal),
  });
  const isCurrent = draft === asked;
  const run = (): void => {
    if (draft.trim() === "") return;
    const isLong = draft.length > LONGEST_SQL;
    void navigate({
      search: (before) => ({ ...before, sql: isLong ? undefined : draft }) as object,
      state: isLong ? { ran: Date.now(), sql: draft } : { ran: Date.now() },
      replace: isCurrent,
    });
  };
  const place = answer.error instanceof QueryRefused && isCurrent ? answer.error.place : null;
  return { draft, setDraft, asked, isCurrent, run, answer, place };
}
