import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly name: ReactNode }[];
  /** Null while it is not known yet. */
  readonly chosen: T | null;
  readonly onChoose: (id: T) => void;
  readonly children: ReactNode;
}

/** Tabs over one panel; arrow keys, Home and End go from one to another. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<T>) {
  return (
    <Base.Root
      className="tabs"
      value={chosen}
      onValueChange={(id) => {
        onChoose(id as T);
      }}
    >
      <Base.List aria-label={label} activateOnFocus data-own-keys="">
        {tabs.map(({ id, name }) => (
          <Base.Tab key={id} value={id}>
            {name}
          </Base.Tab>
        ))}
      </Base.List>
      {chosen === null ? <div>{children}</div> : <Base.Panel value={chosen}>{children}</Base.Panel>}
    </Base.Root>
  );
}
