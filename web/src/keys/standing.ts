import type { Key } from "./queries";

/** The state of a key at `now`, in milliseconds since the epoch. */
export function standingOf(
  { revokedAt, expiresAt }: Pick<Key, "revokedAt" | "expiresAt">,
  now: number,
): "in use" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "in use";
}
