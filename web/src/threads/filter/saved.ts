import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../../api/client";

export const KEY = ["filters"];

/** The tenant's saved filters of a place. */
export function savedQuery(place: "list" | "thread") {
  return queryOptions({
    queryKey: KEY,
    queryFn: async ({ signal }) => dataOf(await api.GET("/v1/filters", { signal })),
    select: ({ items }) => items.filter((saved) => saved.place === place),
  });
}
