import { autocompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { CatalogueTable } from "../queries";
import type { Position } from "./sql";

export interface SqlEditor {
  readonly setText: (text: string) => void;
  /** Puts a text where the cursor is. */
  readonly insert: (text: string) => void;
  /** Marks the word at a place; null removes the mark. */
  readonly mark: (position: Position | null) => void;
  readonly end: () => void;
}

interface Setup {
  readonly text: string;
  readonly tables: readonly CatalogueTable[];
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

/**
 * Opens an editor of SQL in a shadow root.
 *
 * In a document CodeMirror adds <style> elements, which the page's policy refuses; in a shadow root
 * it adopts style sheets, which are allowed.
 */
export function openEditor(root: ShadowRoot, { text, tables, onChange, onRun }: Setup): SqlEditor {
  const run = (): boolean => {
    onRun();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: "Ctrl-Enter", run },
          { key: "Cmd-Enter", run },
        ]),
        sql({ dialect: PostgreSQL, schema: schemaOf(tables), upperCaseKeywords: true }),
        autocompletion(),
        history(),
        keymap.of([...historyKeymap, ...defaultKeymap]),
        lineNumbers(),
        highlightSpecialChars(),
        syntaxHighlighting(COLOURS),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "SQL statement" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
        wrong,
        LOOK,
      ],
    }),
  });
  return {
    setText: (next) => {
      if (next !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      }
    },
    insert: (part) => {
      view.dispatch(view.state.replaceSelection(part));
      view.focus();
    },
    mark: (position) => {
      view.dispatch({ effects: setWrong.of(position) });
    },
    end: () => {
      view.destroy();
    },
  };
}

function schemaOf(tables: readonly CatalogueTable[]) {
  return Object.fromEntries(
    tables.map(({ name, columns }) => [
      name,
      columns.map((column) => ({
        label: column.name,
        type: "property",
        detail: column.type,
        ...(column.comment === null ? {} : { info: column.comment }),
      })),
    ]),
  );
}

const setWrong = StateEffect.define<Position | null>();

const wrong = StateField.define({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    const set = effects.find((effect) => effect.is(setWrong));
    if (set === undefined) return docChanged ? Decoration.none : marks;
    if (set.value === null || set.value.line > state.doc.lines) return Decoration.none;
    const { from, to, text } = state.doc.line(set.value.line);
    const start = Math.min(from + set.value.column - 1, Math.max(from, to - 1));
    const word = /^\w*/.exec(text.slice(start - from))?.[0] ?? "";
    const end = Math.min(to, start + Math.max(1, word.length));
    return end > start ? Decoration.set([WRONG.range(start, end)]) : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const WRONG = Decoration.mark({ class: "wrong" });

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--faint)" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--accent)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { font: "var(--mono)" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--faint)",
    backgroundColor: "var(--surface)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
  ".wrong": { textDecoration: "underline wavy var(--bad)", backgroundColor: "var(--bad-bg)" },
});
