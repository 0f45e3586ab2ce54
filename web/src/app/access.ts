import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, dataOf } from "../api/client";
import type { components } from "../api/schema";

export type Scope = components["schemas"]["NewKey"]["scopes"][number];

/** What the service lets this page do, with the key that it has or without one. */
export const accessQuery = queryOptions({
  queryKey: ["access"],
  queryFn: async () => dataOf(await api.GET("/v1/keys/self")),
});

/** Whether a key may open a screen: Keys needs `admin` or `read`, every other one `read`. */
export function mayOpen(path: string, scopes: readonly Scope[]): boolean {
  return scopes.includes("read") || (path === "/keys" && scopes.includes("admin"));
}

/** Whether the page may do what needs the scope; false until that is known. */
export function useMay(scope: Scope): boolean {
  const { data } = useQuery(accessQuery);
  return data?.scopes.includes(scope) ?? false;
}
