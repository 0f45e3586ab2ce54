import { getRouteApi } from "@tanstack/react-router";
import { useTitle } from "../parts/useTitle";
import { SideBySide } from "./grid/SideBySide";
import { Choosing } from "./Choosing";
import { Matrix } from "./matrix/Matrix";
import { Tasks } from "./tasks/Tasks";

const route = getRouteApi("/compare");

/** Threads side by side, many runs as a matrix, all runs of each task, or the forms to choose. */
export function CompareScreen() {
  const { thread = [], by, matrix } = route.useSearch();
  useTitle(thread.length > 1 ? `${thread.join(", ")} compared` : "Compare");
  if (matrix === true) return <Matrix />;
  if (thread.length > 1) return <SideBySide key={thread.join("\n")} threads={thread} />;
  if (by !== undefined) return <Tasks by={by} />;
  return <Choosing chosen={thread[0]} />;
}
