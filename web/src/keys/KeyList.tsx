import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { time } from "../parts/format";
import type { Column } from "../parts/tables/DataTable";
import { PagedTable } from "../parts/tables/PagedTable";
import { type Key, keysQuery } from "./queries";
import { RevokeKey } from "./RevokeKey";
import { standingOf } from "./standing";

const COLUMNS: readonly Column[] = [
  { heading: "Name", width: 160 },
  { heading: "Id", width: 120 },
  { heading: "Scopes", width: 200 },
  { heading: "Created", width: 190 },
  { heading: "Expires", width: 190 },
  { heading: "State", width: 85 },
  { heading: "Revoke", width: 100 },
];
const TONES = { "in use": "ok", expired: "warn", revoked: "" };

interface KeyListProps {
  /** Id of the key that the page uses. */
  readonly ownId: string | null;
  readonly now: number;
}

/** All keys, also expired and revoked ones. */
export function KeyList({ ownId, now }: KeyListProps) {
  const [revoked, revoke] = useState<Key | null>(null);
  return (
    <>
      <PagedTable
        label="Keys"
        query={useInfiniteQuery(keysQuery)}
        empty="There is no key yet."
        columns={COLUMNS}
        most={10}
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
