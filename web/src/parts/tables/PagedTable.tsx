import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { DataTable, type DataTableProps } from "./DataTable";
import { Failure } from "../Failure";

interface PagedTableProps<T> extends Omit<DataTableProps<T>, "items" | "onMore"> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly T[] }>>;
  /** Shown where there is no row. */
  readonly empty: ReactNode;
}

/** A table of what is read page by page, the next page when its end is in sight. */
export function PagedTable<T>({ query, empty, ...table }: PagedTableProps<T>) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (error !== null) return <Failure error={error} />;
  if (isPending) return <p className="loading">Reading {table.label.toLowerCase()}…</p>;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p>{empty}</p>;
  const onMore = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : null;
  return <DataTable {...table} items={items} onMore={onMore} />;
}
