import { useId, useState } from "react";
import { Popover } from "../../parts/Popover";
import { quote, valueIn, withValue } from "../../parts/text/terms";
import type { Change, ThreadsAddress } from "../address";
import { filterChange } from "./filters";
import type { Seen } from "./seen";
import { OUTCOME_WORDS } from "../standing";
import { STATUSES } from "./terms";
import styles from "./FilterForm.module.css";

interface FilterFormProps {
  readonly address: ThreadsAddress;
  readonly change: Change;
  readonly seen: Seen;
}

/** Filters that take a value: a button, and the form that it opens. */
export function FilterForm(props: FilterFormProps) {
  return (
    <Popover label="Filter">
      <Fields {...props} />
    </Popover>
  );
}

function Fields({ address, change, seen }: FilterFormProps) {
  const id = useId();
  const [key, setKey] = useState("");
  const { filter = "" } = address;
  const apply = (form: FormData): void => {
    const read = (name: string): string => {
      const value = form.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const said = ["status", "exit", "tool"].reduce(
      (text, name) => withValue(text, name, valueTerm(read(name))),
      filter,
    );
    const name = `metadata.${quote(key)}`;
    change({
      ...filterChange(key === "" ? said : withValue(said, name, valueTerm(read("value")))),
      hidden: form.has("hidden") ? true : undefined,
    });
  };
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        apply(new FormData(event.currentTarget));
        event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
      }}
    >
      <label htmlFor={`${id}s`}>Status</label>
      <select id={`${id}s`} name="status" defaultValue={valueIn(filter, "status")}>
        <option value="">any</option>
        {STATUSES.map((status) => (
          <option key={status}>{status}</option>
        ))}
      </select>
      <label htmlFor={`${id}o`}>Outcome</label>
      <select id={`${id}o`} name="exit" defaultValue={valueIn(filter, "exit")}>
        <option value="">any</option>
        {Object.entries(OUTCOME_WORDS).map(([outcome, words]) => (
          <option key={outcome} value={outcome}>
            {words}
          </option>
        ))}
      </select>
      <label htmlFor={`${id}t`}>Tool</label>
      <input
        id={`${id}t`}
        name="tool"
        list={`${id}tools`}
        placeholder="any"
        defaultValue={valueIn(filter, "tool")}
      />
      <Offered id={`${id}tools`} values={seen.tools} />
      <MetadataFields id={id} name={key} onName={setKey} values={seen.metadata} />
      <label htmlFor={`${id}h`}>With hidden threads</label>
      <input
        id={`${id}h`}
        type="checkbox"
        name="hidden"
        value="true"
        defaultChecked={address.hidden === true}
      />
      <button type="submit" className="primary">
        Apply
      </button>
    </form>
  );
}

/** What is typed as a value: as it is where it stands in quotes, and `*` is a beginning. */
function valueTerm(text: string): string {
  if (text === "" || /^".*"\*?$/s.test(text)) return text;
  return text.endsWith("*") ? `${quote(text.slice(0, -1))}*` : quote(text);
}

interface MetadataFieldsProps {
  readonly id: string;
  /** The key as it is typed. */
  readonly name: string;
  readonly onName: (key: string) => void;
  /** Known keys, with the values of each. */
  readonly values: Seen["metadata"];
}

/** A key of metadata and its value, which is needed once there is a key. */
function MetadataFields({ id, name, onName, values }: MetadataFieldsProps) {
  return (
    <>
      <label htmlFor={`${id}k`}>Metadata</label>
      <div className={styles["pair"]}>
        <input
          id={`${id}k`}
          list={`${id}keys`}
          placeholder="key"
          value={name}
          onChange={({ target }) => {
            onName(target.value.trim());
          }}
        />
        <span aria-hidden="true">=</span>
        <input
          name="value"
          aria-label="Value of the metadata"
          list={`${id}values`}
          placeholder="value"
          required={name !== ""}
        />
      </div>
      <Offered id={`${id}keys`} values={[...values.keys()]} />
      <Offered id={`${id}values`} values={values.get(name) ?? []} />
    </>
  );
}

function Offered({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
