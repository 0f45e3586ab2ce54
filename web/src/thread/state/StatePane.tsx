import { Tabs } from "../../parts/Tabs";
import type { StateTab } from "../address";
import { useCursor } from "../cursor";
import { ChangesTab } from "./diff/ChangesTab";
import { ModelTab } from "./model/ModelTab";
import { StateTab as KeysTab } from "./keys/StateTab";
import { useOpeningTab } from "./run/openingTab";
import { ViewTab } from "./ViewTab";
import { WatchTab } from "./watch/WatchTab";

const TABS: readonly { readonly id: StateTab; readonly name: string }[] = [
  { id: "state", name: "State" },
  { id: "model", name: "Sent to model" },
  { id: "changes", name: "Changes" },
  { id: "watch", name: "Watch" },
  { id: "view", name: "View" },
];

const PANELS = {
  state: KeysTab,
  model: ModelTab,
  changes: ChangesTab,
  watch: WatchTab,
  view: ViewTab,
};

/** The thread as it was just after the version under the cursor. */
export function StatePane() {
  const { threadId, address, change } = useCursor();
  const opening = useOpeningTab(threadId);
  const chosen = address.state ?? opening;
  const Panel = chosen === null ? null : PANELS[chosen];
  return (
    <>
      <h2 className="hidden">State</h2>
      <Tabs
        label="State"
        tabs={TABS}
        chosen={chosen}
        onChoose={(id) => {
          change({ state: id }, { replace: true });
        }}
      >
        {Panel === null ? <p className="loading">Reading…</p> : <Panel key={threadId} />}
      </Tabs>
    </>
  );
}
