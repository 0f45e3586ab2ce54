import { expect, test } from "vitest";
import { standingOf } from "./standing";

test("a key is in use until it expires or is revoked", () => {
  const expiresAt = "2026-01-02T00:00:00Z";
  const end = Date.parse(expiresAt);
  expect(standingOf({ expiresAt: null, revokedAt: null }, end)).toBe("in use");
  expect(standingOf({ expiresAt, revokedAt: null }, end - 1)).toBe("in use");
  expect(standingOf({ expiresAt, revokedAt: null }, end)).toBe("expired");
  expect(standingOf({ expiresAt, revokedAt: expiresAt }, end)).toBe("revoked");
});
