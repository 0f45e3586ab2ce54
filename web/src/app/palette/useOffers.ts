import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useDeferredValue } from "react";
import { api, dataOf } from "../../api/client";
import { type Command, commandGroups } from "../commands";
import { shownKey, useKnownShortcuts } from "../keyboard";
import { SCREENS } from "../screens";
import { wordsOf } from "../../threads/filter/filters";
import { rankByName } from "./ranking";

/** Commands of one kind. */
export interface Group {
  readonly title: string;
  readonly commands: readonly Command[];
}

const MOST_THREADS = 8;

/** What answers a text: commands of the screen, screens, threads, keys. */
export function useOffers(text: string): { groups: readonly Group[]; isSearching: boolean } {
  const router = useRouter();
  const wanted = useDeferredValue(text.trim());
  const { data: threads, isFetching } = useQuery({
    queryKey: ["palette", wanted],
    queryFn: async ({ signal }) => {
      const query = { filter: wordsOf(wanted), limit: MOST_THREADS };
      return dataOf(await api.GET("/v1/threads", { params: { query }, signal })).items;
    },
    enabled: wanted !== "",
    placeholderData: keepPreviousData,
  });
  const shortcuts = useKnownShortcuts();
  const groups: Group[] = [
    ...commandGroups(text),
    {
      title: "Screens",
      commands: rankByName(
        SCREENS.map(({ to, name }) => ({
          name,
          run: () => {
            void router.navigate({ to });
          },
        })),
        text,
      ),
    },
    {
      title: "Threads",
      commands: (wanted === "" ? [] : (threads ?? [])).map(({ threadId, goal }) => ({
        name: goal === null ? threadId : `${goal} · ${threadId}`,
        run: () => {
          void router.navigate({ to: "/threads/$threadId", params: { threadId } });
        },
      })),
    },
    ...shortcuts.map(({ title, shortcuts: ofGroup }) => ({
      title: `Keys: ${title}`,
      commands: rankByName(
        ofGroup.map(({ key, does, run }) => ({
          name: does,
          keys: shownKey(key),
          run: () => {
            run(false);
          },
        })),
        text,
      ),
    })),
  ];
  return { groups: groups.filter(({ commands }) => commands.length > 0), isSearching: isFetching };
}
