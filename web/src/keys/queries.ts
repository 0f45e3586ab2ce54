import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client";
import type { components } from "../api/schema";

export type Key = components["schemas"]["Key"];
export type NewKey = components["schemas"]["NewKey"];
export type Access = components["schemas"]["Access"];

export const keysQuery = infiniteQueryOptions({
  queryKey: ["keys"],
  queryFn: async ({ pageParam, signal }) => {
    const query = pageParam === null ? {} : { after: pageParam };
    return dataOf(await api.GET("/v1/keys", { params: { query }, signal }));
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  staleTime: 0,
});

/** Who read what, the latest first. */
export const accessesQuery = infiniteQueryOptions({
  queryKey: ["accesses"],
  queryFn: async ({ pageParam, signal }) => {
    const query = pageParam === null ? {} : { after: pageParam };
    return dataOf(await api.GET("/v1/accesses", { params: { query }, signal }));
  },
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next,
  staleTime: 0,
});
