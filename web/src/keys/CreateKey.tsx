import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../api/client";
import { setKey } from "../api/key";
import { mayOpen, type Scope } from "../app/access";
import { Dialog } from "../parts/Dialog";
import { Copy } from "../parts/Copy";
import { Failure } from "../parts/Failure";
import { keysQuery, type NewKey } from "./queries";
import styles from "./keys.module.css";

const SCOPES: readonly { scope: Scope; allows: string }[] = [
  { scope: "read", allows: "threads, views, the log, reports, proofs" },
  { scope: "append", allows: "messages, facts of threads, files" },
  { scope: "redact", allows: "erase contents" },
  { scope: "admin", allows: "keys, accesses, projections, metrics" },
  { scope: "metrics", allows: "/metrics, for scrapers" },
];
const EXPIRIES = [
  { value: "1d", name: "in a day" },
  { value: "30d", name: "in 30 days" },
  { value: "90d", name: "in 90 days" },
  { value: "365d", name: "in 365 days" },
  { value: "", name: "never" },
];

/** A form that makes a key. `isFirst`: no key exists, and with one every request needs a key. */
export function CreateKey({ isFirst }: { isFirst: boolean }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(isFirst ? ["read", "admin"] : ["read"]);
  const [expires, setExpires] = useState("90d");
  const [isAgreed, setAgreed] = useState(false);
  const creation = useMutation({
    mutationFn: async () =>
      answered(
        await api.POST("/v1/keys", {
          body: { name, scopes: [...scopes], expires: expires || null },
        }),
      ),
  });
  const close = (made: NewKey): void => {
    creation.reset(); // forgets the secret as well
    setName("");
    if (isFirst) setKey(mayOpen("/keys", made.scopes) ? made.key : null);
    else void queries.invalidateQueries({ queryKey: keysQuery.queryKey });
  };
  const isReady = name.trim() !== "" && scopes.length > 0 && (!isFirst || isAgreed);
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) creation.mutate();
      }}
    >
      {isFirst && (
        <div className={styles["notice"]}>
          <p>
            <strong>This is the first key.</strong> Until now every request of this machine is
            allowed. With the first key, every request needs one, also those of agents that run now.
            That cannot be undone: revoking the last key does not open the service again.
          </p>
          <label>
            <input
              type="checkbox"
              checked={isAgreed}
              onChange={(event) => {
                setAgreed(event.target.checked);
              }}
            />{" "}
            Every request shall need a key
          </label>
        </div>
      )}
      <label className={styles["field"]}>
        <span>Name</span>
        <input
          required
          autoComplete="off"
          maxLength={200}
          placeholder="who or what uses it"
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
      </label>
      <fieldset className={styles["scopes"]}>
        <legend>Scopes: none includes another</legend>
        {SCOPES.map(({ scope, allows }) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ target }) => {
                const rest = scopes.filter((each) => each !== scope);
                setScopes(target.checked ? [...rest, scope] : rest);
              }}
            />{" "}
            {scope} <small>{allows}</small>
          </label>
        ))}
      </fieldset>
      <label className={styles["field"]}>
        <span>Expires</span>
        <select
          value={expires}
          onChange={(event) => {
            setExpires(event.target.value);
          }}
        >
          {EXPIRIES.map((each) => (
            <option key={each.value} value={each.value}>
              {each.name}
            </option>
          ))}
        </select>
      </label>
      {isFirst && !scopes.includes("read") && (
        <p>Screens other than this one need a key with the scope read.</p>
      )}
      {creation.error !== null && <Failure error={creation.error} />}
      <div className={styles["actions"]}>
        <button type="submit" className="primary" disabled={!isReady || creation.isPending}>
          Create key
        </button>
      </div>
      {creation.data !== undefined && (
        <ShownOnce made={creation.data} isFirst={isFirst} onClose={close} />
      )}
    </form>
  );
}

interface ShownOnceProps {
  readonly made: NewKey;
  readonly isFirst: boolean;
  readonly onClose: (made: NewKey) => void;
}

function ShownOnce({ made, isFirst, onClose }: ShownOnceProps) {
  const close = (): void => {
    onClose(made);
  };
  return (
    <Dialog title={`The key ${made.name}`} onClose={close}>
      <p>It is shown this once. Copy it now, and keep it where secrets are kept.</p>
      <p className={styles["secret"]}>
        <code aria-label="Key">{made.key}</code>
        <Copy text={made.key} className="primary" />
      </p>
      {isFirst && (
        <p>
          {mayOpen("/keys", made.scopes)
            ? "Every request needs a key now. This page uses this one until the tab closes."
            : "Every request needs a key now. This one opens no screen: the page asks for another."}
        </p>
      )}
      <button type="button" onClick={close}>
        Done
      </button>
    </Dialog>
  );
}
