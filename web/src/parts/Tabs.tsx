import { type ReactNode, useId } from "react";

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly name: ReactNode }[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
  readonly children: ReactNode;
}

/** Tabs over one panel; arrow keys go from one to the next (WAI-ARIA's pattern of tabs). */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<T>) {
  const id = useId();
  const move = (by: number): void => {
    const index = tabs.findIndex((tab) => tab.id === chosen);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div role="tablist" aria-label={label} data-own-keys="">
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => {
              onChoose(tab.id);
            }}
            onKeyDown={(event) => {
              if (event.key === "ArrowRight") move(1);
              else if (event.key === "ArrowLeft") move(-1);
              else return;
              event.preventDefault();
            }}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
