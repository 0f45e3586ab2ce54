import type { ReactElement } from "react";
import type { Json } from "../api/exact";

/** Draws a payload by what it means; null where it is best read as JSON. */
export type Draw = (payload: Json) => ReactElement | null;
