import { getRouteApi } from "@tanstack/react-router";
import type { PartOf } from "../../app/change";
import type { ReportAddress } from "../address";

const route = getRouteApi("/reports/$name");

/** The address of the report in sight, and a function that changes parts of it. */
export function useReportAddress() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: PartOf<ReportAddress>, { replace = false } = {}): void => {
    void navigate({ search: (before) => ({ ...before, ...part }) as object, replace });
  };
  return { address, change };
}
