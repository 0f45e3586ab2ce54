import { getRouteApi } from "@tanstack/react-router";
import { useRef } from "react";
import { useChange } from "../app/change";
import { useShortcuts } from "../app/keyboard";
import type { Change } from "./address";
import { HitList } from "./search/HitList";
import { SearchBox } from "./search/SearchBox";
import { ThreadList } from "./ThreadList";
import styles from "./ThreadsScreen.module.css";
import { useTitle } from "../parts/useTitle";

const route = getRouteApi("/");

/** All threads, live; or what a search finds in their contents. */
export function ThreadsScreen() {
  const address = route.useSearch();
  useTitle("Threads");
  const change: Change = useChange();
  const box = useRef<HTMLInputElement>(null);
  useShortcuts("Threads", [
    {
      key: "/",
      does: "search",
      run: () => {
        box.current?.focus();
      },
    },
  ]);
  return (
    <main className={styles["screen"]}>
      <header className={styles["head"]}>
        <h1>Threads</h1>
        <SearchBox address={address} change={change} box={box} />
      </header>
      {address.find === undefined ? (
        <ThreadList address={address} change={change} />
      ) : (
        <HitList find={address.find} address={address} change={change} />
      )}
    </main>
  );
}
