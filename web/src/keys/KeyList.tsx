import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "../parts/Failure";
import { time } from "../parts/format";
import { type Column, WindowedTable } from "../parts/WindowedTable";
import { type Key, keysQuery } from "./queries";
import { RevokeKey } from "./RevokeKey";
import { standingOf } from "./standing";

const COLUMNS: readonly Column[] = [
  { name: "Name", width: "minmax(8rem, 1fr)" },
  { name: "Id", width: "8rem" },
  { name: "Scopes", width: "12rem" },
  { name: "Created", width: "11rem" },
  { name: "Expires", width: "11rem" },
  { name: "State", width: "5rem" },
  { name: "Revoke", width: "5rem" },
];
const TONES = { "in use": "ok", expired: "warn", revoked: "" };

interface KeyListProps {
  /** Id of the key that the page uses. */
  readonly ownId: string | null;
  readonly now: number;
}

/** All keys, those that ended too. */
export function KeyList({ ownId, now }: KeyListProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(keysQuery);
  const [revoked, revoke] = useState<Key | null>(null);
  if (error !== null) return <Failure error={error} />;
  if (isPending) return <p className="loading">Reading keys…</p>;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <p>There is no key yet.</p>;
  return (
    <>
      <WindowedTable
        label="Keys"
        columns={COLUMNS}
        items={items}
        idOf={({ id }) => id}
        most={10}
        onMore={hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : null}
        cells={(key) => {
          const standing = standingOf(key, now);
          return [
            <span title={key.name}>
              {key.name}
              {key.id === ownId && <small> this page</small>}
            </span>,
            <code>{key.id}</code>,
            key.scopes.join(", "),
            <span title={`Created by ${key.createdBy ?? "the command line, or without a key"}`}>
              {time(key.createdAt)}
            </span>,
            key.expiresAt === null ? "never" : time(key.expiresAt),
            <span className={`badge ${TONES[standing]}`} title={key.revokedAt ?? undefined}>
              {standing}
            </span>,
            standing === "in use" && (
              <button
                type="button"
                className="quiet"
                aria-label={`Revoke ${key.name}`}
                onClick={() => {
                  revoke(key);
                }}
              >
                Revoke…
              </button>
            ),
          ];
        }}
      />
      {revoked !== null && (
        <RevokeKey
          of={revoked}
          isOwn={revoked.id === ownId}
          onClose={() => {
            revoke(null);
          }}
        />
      )}
    </>
  );
}
