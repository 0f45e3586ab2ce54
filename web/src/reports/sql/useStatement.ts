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
  const statement = long ?? address.sql ?? "";
  const [changed, setChanged] = useState({ from: statement, to: statement });
  const draft = changed.from === statement ? changed.to : statement;
  const setDraft = (to: string): void => {
    setChanged({ from: statement, to });
  };
  const answer = useQuery({
    queryKey: ["sql", statement, ran],
    enabled: ran !== undefined && statement !== "",
    retry: false,
    queryFn: ({ signal }) => ask(statement, signal),
  });
  const isCurrent = draft === statement;
  const run = (): void => {
    if (draft.trim() === "") return;
    const isLong = draft.length > LONGEST_SQL;
    void navigate({
      search: (before) => ({ ...before, sql: isLong ? undefined : draft }) as object,
      state: isLong ? { ran: Date.now(), sql: draft } : { ran: Date.now() },
      replace: isCurrent,
    });
  };
  const position = answer.error instanceof QueryRefused && isCurrent ? answer.error.position : null;
  return { draft, setDraft, statement, isCurrent, run, answer, position };
}
