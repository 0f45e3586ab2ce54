import { Dialog } from "../parts/Dialog";
import { shownKey, useKnownShortcuts } from "./keyboard";

/** The keys of the screen that is open. */
export function Help({ onClose }: { onClose: () => void }) {
  const groups = useKnownShortcuts();
  return (
    <Dialog title="Keys" onClose={onClose}>
      {groups.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="keys">
            {shortcuts.map(({ key, does }) => (
              <div key={key}>
                <dt>
                  <kbd>{shownKey(key)}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
