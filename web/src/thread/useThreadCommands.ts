import { useRouter } from "@tanstack/react-router";
import { type Command, useCommands } from "../app/commands";
import { rankByName } from "../app/palette/ranking";
import { count } from "../parts/format";
import { quote } from "../parts/text/terms";
import { STATE_TABS, type ThreadAddress, VIEWS } from "./address";
import { useCursor } from "./cursor";
import { useTimeline } from "./timeline/timeline";

const STATE_NAMES: Readonly<Record<(typeof STATE_TABS)[number], string>> = {
  state: "State",
  model: "Sent to model",
  changes: "Changes between A and B",
  watch: "Watch",
  view: "View",
};

/** What the palette offers in a thread: versions, views, its tools, and threads to compare with. */
export function useThreadCommands(): void {
  const { threadId, last, go, change } = useCursor();
  const timeline = useTimeline();
  const router = useRouter();
  const show = (name: string, part: ThreadAddress): Command => ({
    name,
    run: () => {
      change(part);
    },
  });
  useCommands("This thread", (text) => {
    const version = Number(/^v?(\d+)$/i.exec(text.trim())?.[1] ?? NaN);
    const versions: Command[] = [];
    if (version >= 1 && version <= last) {
      const name = `Go to version ${count(version)} of ${count(last)}`;
      versions.push({
        name,
        run: () => {
          go(version);
        },
      });
    }
    const compare: Command = {
      name: "Compare with …",
      run: () => {
        void router.navigate({ to: "/compare", search: { thread: [threadId] } });
      },
    };
    const tabs = STATE_TABS.filter((tab) => tab !== "view").map((tab) =>
      show(`Show: ${STATE_NAMES[tab]}`, { state: tab, pane: "state" }),
    );
    const views = VIEWS.map((view) =>
      show(`View: ${view}`, { state: "view", view, pane: "state" }),
    );
    const tools = timeline.tools().map(([tool, calls]) =>
      show(`Only calls of ${tool} (${count(calls)})`, {
        find: `tool:${quote(tool)}`,
        only: "hit",
      }),
    );
    return [...versions, ...rankByName([compare, ...tabs, ...views, ...tools], text)];
  });
}
