import { useEffect, useId, useRef, useState } from "react";
import { Dialog } from "../../parts/Dialog";
import type { Command } from "../commands";
import styles from "./palette.module.css";
import { type Group, useOffers } from "./useOffers";

/** Everything that can be done here, found by its name; Enter does it. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, choose] = useState(0);
  const { groups, isSearching } = useOffers(text);
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus(); // a dialog that opens focuses its first button
  }, []);
  const commands = groups.flatMap((group) => group.commands);
  const at = Math.min(chosen, commands.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const moves: Record<string, number> = {
    ArrowDown: Math.min(at + 1, commands.length - 1),
    ArrowUp: Math.max(at - 1, 0),
  };
  return (
    <Dialog title="Commands" onClose={onClose}>
      <div className={styles["palette"]}>
        <input
          ref={field}
          role="combobox"
          aria-label="Command"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={at >= 0 ? `${list}-${at}` : undefined}
          placeholder="A thread, a version, a tool, a view …"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            choose(0);
          }}
          onKeyDown={(event) => {
            const to = moves[event.key];
            if (to !== undefined) {
              event.preventDefault();
              choose(to);
              document.getElementById(`${list}-${to}`)?.scrollIntoView({ block: "nearest" });
            } else if (event.key === "Enter") {
              event.preventDefault();
              run(commands[at]);
            }
          }}
        />
        <Groups list={list} groups={groups} chosen={commands[at]} run={run} />
        <p role="status" className={styles["status"]}>
          {isSearching
            ? "Searching threads…"
            : commands.length === 0
              ? "Nothing has this name"
              : ""}
        </p>
      </div>
    </Dialog>
  );
}

interface GroupsProps {
  readonly list: string;
  readonly groups: readonly Group[];
  readonly chosen: Command | undefined;
  readonly run: (command: Command) => void;
}

function Groups({ list, groups, chosen, run }: GroupsProps) {
  const commands = groups.flatMap((group) => group.commands);
  return (
    <div id={list} role="listbox" aria-label="Commands" className={styles["list"]}>
      {groups.map(({ title, commands: ofGroup }, index) => (
        <div key={index} role="group" aria-label={title}>
          <div className={styles["title"]} aria-hidden="true">
            {title}
          </div>
          {ofGroup.map((command) => {
            const index = commands.indexOf(command);
            return (
              <div
                key={index}
                id={`${list}-${index}`}
                role="option"
                aria-selected={command === chosen}
                className={styles["option"]}
                onPointerDown={(event) => {
                  event.preventDefault(); // the field keeps the focus
                }}
                onClick={() => {
                  run(command);
                }}
              >
                <bdi>{command.name}</bdi>
                {command.keys !== undefined && <kbd>{command.keys}</kbd>}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
