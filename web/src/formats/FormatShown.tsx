import type { ReactElement } from "react";
import type { Json } from "../api/exact";
import { CLAUDE_CODE } from "./claudeCode";
import { CODEX } from "./codex";
import type { Draw } from "./draw";
import { INSPECT } from "./inspect";
import { STATES } from "./states";

/** How the payloads of types that the page knows are drawn; each has a story in `stories.json`. */
export const FORMATS: Readonly<Record<string, Draw>> = {
  ...INSPECT,
  ...STATES,
  ...CODEX,
  ...CLAUDE_CODE,
};

/** A payload drawn by what it means; null where it is best read as JSON. */
export function formatShown(type: string, payload: Json | undefined): ReactElement | null {
  const draw = Object.hasOwn(FORMATS, type) ? FORMATS[type] : undefined;
  return draw === undefined || payload === undefined ? null : draw(payload);
}
