import { getRouteApi } from "@tanstack/react-router";
import { useTitle } from "../parts/useTitle";
import { SideBySide } from "./grid/SideBySide";
import { Choosing } from "./Choosing";
import { Tasks } from "./tasks/Tasks";

const route = getRouteApi("/compare");

/** Threads side by side, all runs of each task, or the forms to choose them. */
export function CompareScreen() {
  const { thread = [], by } = route.useSearch();
  useTitle(thread.length > 1 ? `${thread.join(", ")} compared` : "Compare");
  if (thread.length > 1) return <SideBySide key={thread.join("\n")} threads={thread} />;
  if (by !== undefined) return <Tasks by={by} />;
  return <Choosing chosen={thread[0]} />;
}
