import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

/** A part of an address; undefined removes. */
export type PartOf<Address> = { [K in keyof Address]?: Address[K] | undefined };
/** Changes a part of the address. Without `replace`, Back undoes it. */
export type Change<Address> = (part: PartOf<Address>, options?: { replace?: boolean }) => void;

/**
 * Changes of the address of a screen, which shows `subject`, a thread say.
 *
 * What comes late, from a timer or a play, is left out where the reader has gone on to another
 * screen that is not there yet: it would bring him back.
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
