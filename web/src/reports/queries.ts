import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, fetchWithKey } from "../api/client";
import type { components } from "../api/schema";
import type { ReportAddress } from "./address";

type Schemas = components["schemas"];
export type ReportTerms = Schemas["ReportTerms"];
export type ReportColumn = Schemas["ReportColumn"];
export type ReportAnswer = Schemas["ReportAnswer"];
export type ReportRow = ReportAnswer["rows"][number];
export type CatalogueTable = Schemas["CatalogueTable"];

/** Stands in a report's terms for any key of metadata. */
export const METADATA = "metadata.KEY";
const MOST_ROWS = 1000;
const MOST_ROWS_OF_CSV = 10_000;

/** All reports, with what each can be broken down by and narrowed to. */
export const catalogueQuery = queryOptions({
  queryKey: ["reports"],
  queryFn: async ({ signal }) => dataOf(await api.GET("/v1/analytics", { signal })).items,
});

/** The tables that queries may be about. */
export const tablesQuery = queryOptions({
  queryKey: ["tables"],
  queryFn: async ({ signal }) => dataOf(await api.GET("/v1/analytics/sql/tables", { signal })),
});

/** A report as the address asks for it, and the log's position just after. */
export function reportQuery(name: string, address: ReportAddress) {
  const path = pathOf(name, address, MOST_ROWS);
  return queryOptions({
    queryKey: ["report", path],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const response = await fetchWithKey(path, { signal });
      const answer = (await response.json()) as ReportAnswer;
      const { asOf, lag } = dataOf(
        await api.GET("/v1/summaries", { params: { query: { limit: 1 } }, signal }),
      );
      return { answer, behind: Math.max(0, asOf + lag - answer.asOf) };
    },
  });
}

/** The report as CSV: texts that a spreadsheet would compute have an apostrophe in front. */
export async function reportCsv(name: string, address: ReportAddress): Promise<Blob> {
  const path = `${pathOf(name, address, MOST_ROWS_OF_CSV)}&format=csv`;
  return (await fetchWithKey(path)).blob();
}

function pathOf(name: string, address: ReportAddress, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const key of ["from", "to", "clock", "order"] as const) {
    const value = address[key];
    if (value !== undefined) query.set(key, value);
  }
  if (address.by !== undefined) query.set("by", address.by.join(","));
  if (address.only !== undefined) {
    query.set("filter", address.only.map((term) => `(${term})`).join(" "));
  }
  return `/v1/analytics/${encodeURIComponent(name)}?${query.toString()}`;
}
