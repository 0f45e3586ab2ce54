import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** A part of an address; undefined removes. */
export type PartOf<Address> = { [K in keyof Address]?: Address[K] | undefined };
/** Changes a part of the address. Without `replace` it is an entry of the browser's history. */
export type Change<Address> = (part: PartOf<Address>, options?: { replace?: boolean }) => void;

/**
 * Returns a function that changes the address of a screen, which shows `subject`, as a thread.
 *
 * A late change, as from a timer, is ignored once the reader has left for another screen: it would
 * lead back to this one.
 */
export function useChange<Address>(subject?: string): Change<Address> {
  const router = useRouter();
  const here = useMemo(() => ({ subject, ...router.latestLocation }), [router, subject]).pathname;
  return useCallback(
    (part, { replace = false } = {}) => {
      if (router.latestLocation.pathname !== here) return;
      void router.navigate({
        to: ".",
        search: (before: object) => ({ ...before, ...part }) as never,
        replace,
      });
    },
    [router, here],
  );
}
