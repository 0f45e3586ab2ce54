import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCursor } from "../cursor";
import { eventQuery } from "../queries";
import { type Recorded, recordedIn } from "./contents";

/** Larger messages are read whole only when asked for, in bytes. */
const LARGE = 256_000;

export interface Whole {
  /** The event: whole once it is read. */
  readonly event: Recorded | null | undefined;
  /** Whether it is only the beginning of a large one, until the reader asks for all. */
  readonly isLarge: boolean;
  readonly showAll: () => void;
  readonly error: Error | null;
  readonly isFetching: boolean;
}

/** An event whose beginning was read, read whole. */
export function useWhole(beginning: Recorded | null | undefined): Whole {
  const { threadId } = useCursor();
  const [wholeId, ask] = useState<string | null>(null);
  const id = beginning?.id ?? "";
  const isCut = beginning?.isCut === true;
  const isLarge = isCut && beginning.bytes > LARGE && wholeId !== id;
  const { data, error, isFetching } = useQuery({
    ...eventQuery(threadId, id),
    enabled: isCut && !isLarge,
    select: recordedIn,
  });
  const showAll = (): void => {
    ask(id);
  };
  return { event: data ?? beginning, isLarge, showAll, error, isFetching };
}
