import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import type { SqlEditor } from "./codemirror";
import type { CatalogueTable } from "../queries";
import styles from "./sql.module.css";
import type { Position } from "./sql";

interface EditorProps {
  /** The statement; the reader's changes come by `onChange`. */
  readonly text: string;
  readonly tables: readonly CatalogueTable[];
  /** Where the service refused it. */
  readonly wrong: Position | null;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
  readonly ref: Ref<{ insert: (text: string) => void }>;
}

/** A field for SQL with completion, once the editor is loaded. */
export function Editor({ text, tables, wrong, onChange, onRun, ref }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<SqlEditor | null>(null);
  const latest = useRef({ text, wrong, onChange, onRun });
  useEffect(() => {
    latest.current = { text, wrong, onChange, onRun };
    editor.current?.setText(text);
  });
  useEffect(() => {
    editor.current?.mark(wrong);
  }, [wrong]);
  useEffect(() => {
    let isWanted = true;
    void import("./codemirror").then(({ openEditor }) => {
      const element = host.current;
      if (!isWanted || element === null) return;
      const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
      editor.current = openEditor(root, {
        text: latest.current.text,
        tables,
        onChange: (changed) => {
          latest.current.onChange(changed);
        },
        onRun: () => {
          latest.current.onRun();
        },
      });
      editor.current.mark(latest.current.wrong);
    });
    return () => {
      isWanted = false;
      editor.current?.end();
      editor.current = null;
    };
  }, [tables]);
  useImperativeHandle(ref, () => ({
    insert: (part) => {
      editor.current?.insert(part);
    },
  }));
  return (
    <div data-own-keys="" className={styles["editor"]}>
      <div ref={host} />
    </div>
  );
}
