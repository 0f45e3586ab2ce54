import { useId, useState } from "react";
import { Popover } from "../../parts/Popover";
import { type Change, OUTCOMES, STATUSES, threadsAddress, type ThreadsAddress } from "../address";
import { withTerm } from "./filters";
import type { Seen } from "./seen";
import { OUTCOME_WORDS } from "../standing";
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
  const apply = (form: FormData): void => {
    const read = (name: string): string => {
      const value = form.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const { status, outcome, tool, hidden } = threadsAddress(Object.fromEntries(form));
    const { meta } = address;
    change({
      status,
      outcome,
      tool,
      hidden,
      meta: key === "" ? meta : withTerm(meta ?? [], key, read("value")),
      row: undefined,
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
      <select id={`${id}s`} name="status" defaultValue={address.status ?? ""}>
        <option value="">any</option>
        {STATUSES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <label htmlFor={`${id}o`}>Outcome</label>
      <select id={`${id}o`} name="outcome" defaultValue={address.outcome ?? ""}>
        <option value="">any</option>
        {OUTCOMES.map((each) => (
          <option key={each} value={each}>
            {OUTCOME_WORDS[each]}
          </option>
        ))}
      </select>
      <label htmlFor={`${id}t`}>Tool</label>
      <input
        id={`${id}t`}
        name="tool"
        list={`${id}tools`}
        placeholder="any"
        defaultValue={address.tool ?? ""}
      />
      <Offered id={`${id}tools`} values={seen.tools} />
      <label htmlFor={`${id}k`}>Metadata</label>
      <div className={styles["pair"]}>
        <input
          id={`${id}k`}
          list={`${id}keys`}
          placeholder="key"
          value={key}
          onChange={(event) => {
            setKey(event.target.value.trim());
          }}
        />
        <span aria-hidden="true">=</span>
        <input
          name="value"
          aria-label="Value of the metadata"
          list={`${id}values`}
          placeholder="value"
          required={key !== ""}
        />
      </div>
      <Offered id={`${id}keys`} values={[...seen.metadata.keys()]} />
      <Offered id={`${id}values`} values={seen.metadata.get(key) ?? []} />
      <label htmlFor={`${id}h`}>Hidden ones too</label>
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

function Offered({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((each) => (
        <option key={each} value={each} />
      ))}
    </datalist>
  );
}
