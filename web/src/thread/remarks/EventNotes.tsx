import { useEffect, useId, useRef, useState } from "react";
import { useMay } from "../../app/access";
import { useShortcuts } from "../../app/keyboard";
import { Failure } from "../../parts/Failure";
import { useCursor } from "../cursor";
import { NameField } from "./NameField";
import { type Note, useRemark, useRemarks, type Verdict } from "./queries";
import styles from "./remarks.module.css";
import { judgementText } from "./texts";

/** The notes and judgements on an event, and a box for another note. */
export function EventNotes({ version }: { version: number }) {
  const remarks = useRemarks().get(version) ?? [];
  const mayWrite = useMay("append");
  if (!mayWrite && remarks.length === 0) return null;
  return (
    <section className={styles["notes"]} aria-label="Notes">
      {remarks.map((remark) => (
        <article key={remark.version}>
          {"text" in remark ? (
            <NoteShown note={remark} mayWrite={mayWrite} />
          ) : (
            <VerdictShown verdict={remark} />
          )}
        </article>
      ))}
      {mayWrite ? (
        <NewNote key={version} version={version} />
      ) : (
        <p className={styles["soft"]}>To write notes, use a key of the scope append.</p>
      )}
    </section>
  );
}

function NoteShown({ note, mayWrite }: { note: Note; mayWrite: boolean }) {
  const [isEdited, setEdited] = useState(false);
  const remark = useRemark();
  if (isEdited) {
    return (
      <NoteForm
        label={`Change the note of version ${note.version}`}
        begin={note.text}
        onSave={(text) => ({ type: "thread.noted", text, replaces: note.version })}
        onClose={() => {
          setEdited(false);
        }}
      />
    );
  }
  return (
    <>
      <p className={styles["text"]}>{note.text}</p>
      <p className={styles["soft"]}>
        <Source of={note} />
        {note.edited !== null && ` · changed by ${note.edited}`}
        {mayWrite && (
          <>
            <button
              type="button"
              className="quiet"
              onClick={() => {
                setEdited(true);
              }}
            >
              Change
            </button>
            <button
              type="button"
              className="quiet"
              disabled={remark.isPending}
              onClick={() => {
                remark.mutate({ type: "thread.noted", text: null, replaces: note.version });
              }}
            >
              Take back
            </button>
          </>
        )}
      </p>
      {remark.error !== null && <Failure error={remark.error} />}
    </>
  );
}

function VerdictShown({ verdict }: { verdict: Verdict }) {
  return (
    <>
      <p className={styles["text"]}>
        <strong>{judgementText(verdict)}</strong> {verdict.comment}
      </p>
      <p className={styles["soft"]}>
        <Source of={verdict} />
      </p>
    </>
  );
}

function Source({ of: { actor, version } }: { of: Note | Verdict }) {
  const { go } = useCursor();
  return (
    <>
      {actor !== null && <bdi>{actor} </bdi>}
      <button
        type="button"
        className="quiet"
        onClick={() => {
          go(version);
        }}
      >
        version {version}
      </button>
    </>
  );
}

function NewNote({ version }: { version: number }) {
  const [isOpen, setOpen] = useState(false);
  useShortcuts("Notes", [
    {
      key: "m",
      does: "write a note on this event",
      run: () => {
        setOpen(true);
      },
    },
  ]);
  if (!isOpen) {
    return (
      <button
        type="button"
        className="quiet"
        onClick={() => {
          setOpen(true);
        }}
      >
        Write a note… <kbd>m</kbd>
      </button>
    );
  }
  return (
    <NoteForm
      label={`Note on version ${version}`}
      begin=""
      onSave={(text) => ({ type: "thread.noted", text, on: version })}
      onClose={() => {
        setOpen(false);
      }}
    />
  );
}

interface NoteFormProps {
  readonly label: string;
  readonly begin: string;
  readonly onSave: (text: string) => Parameters<ReturnType<typeof useRemark>["mutate"]>[0];
  readonly onClose: () => void;
}

function NoteForm({ label, begin, onSave, onClose }: NoteFormProps) {
  const { at, change } = useCursor();
  const [text, setText] = useState(begin);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const remark = useRemark();
  const isReady = text.trim() !== "" && !remark.isPending;
  useEffect(() => {
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <form
      ref={form}
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        change({ at }, { replace: true }); // at the end of a thread too, the note moves nothing
        remark.mutate(onSave(text), { onSuccess: onClose });
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
          form.current?.requestSubmit();
      }}
    >
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        autoFocus
        value={text}
        onChange={({ target }) => {
          setText(target.value);
        }}
      />
      <div className={styles["choice"]}>
        <NameField />
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={!isReady}>
          {remark.isPending ? "Saving…" : "Save"}
        </button>
      </div>
      {remark.error !== null && <Failure error={remark.error} />}
    </form>
  );
}
