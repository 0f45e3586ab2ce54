import { useMutation, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { queries } from "../../app/queries";
import { Failure } from "../../parts/Failure";
import { Popover } from "../../parts/Popover";
import type { Change, ThreadsAddress } from "../address";
import { KEY, savedQuery } from "./saved";
import styles from "./FilterBar.module.css";

interface SavedFiltersProps {
  readonly address: ThreadsAddress;
  readonly change: Change;
  readonly isLoaded: boolean;
}

/** The saved filters of the tenant, and a place to save this one. */
export function SavedFilters({ address, change, isLoaded }: SavedFiltersProps) {
  const { data: saved = [] } = useQuery({ ...savedQuery("list"), enabled: isLoaded });
  const isSaved = saved.some(({ filter }) => filter === address.filter);
  return (
    <>
      {saved.map(({ name, filter }) => (
        <button
          key={name}
          type="button"
          title={filter}
          className={styles["saved"]}
          aria-pressed={filter === address.filter}
          onClick={() => {
            change({ filter: filter === address.filter ? undefined : filter, row: undefined });
          }}
        >
          {name}
        </button>
      ))}
      {address.filter !== undefined && (
        <Popover label={isSaved ? "Saved" : "Save"}>
          <SaveForm filter={address.filter} names={saved.map(({ name }) => name)} />
        </Popover>
      )}
    </>
  );
}

function SaveForm({ filter, names }: { filter: string; names: readonly string[] }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ name, isRemoved }: { name: string; isRemoved: boolean }) => {
      const params = { path: { name } };
      return isRemoved
        ? await api.DELETE("/v1/filters/{name}", { params })
        : await api.PUT("/v1/filters/{name}", { params, body: { filter, place: "list" } });
    },
    onSuccess: async () => queries.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <form
      className={styles["save"]}
      onSubmit={(event) => {
        event.preventDefault();
        const name = new FormData(event.currentTarget).get("name");
        if (typeof name === "string") mutate({ name: name.trim(), isRemoved: false });
      }}
    >
      <label>
        Name <input name="name" required maxLength={64} pattern=".*\S.*" />
      </label>
      <button type="submit" className="primary" disabled={isPending}>
        Save for all
      </button>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          disabled={isPending}
          onClick={() => {
            mutate({ name, isRemoved: true });
          }}
        >
          Remove “{name}”
        </button>
      ))}
      {error !== null && <Failure error={error} />}
    </form>
  );
}
