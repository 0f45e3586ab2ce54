import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf } from "../api/client";
import { setKey } from "../api/key";
import { mayOpen, type Scope } from "../app/access";
import { Failure } from "../parts/Failure";
import { keysQuery, type NewKey } from "./queries";
import { Scopes } from "./Scopes";
import { ShownOnce } from "./ShownOnce";
import styles from "./keys.module.css";

const EXPIRIES = [
  { value: "1d", words: "in a day" },
  { value: "30d", words: "in 30 days" },
  { value: "90d", words: "in 90 days" },
  { value: "365d", words: "in 365 days" },
  { value: "", words: "never" },
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
      dataOf(
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
      {isFirst && <FirstKey isAgreed={isAgreed} onAgree={setAgreed} />}
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
      <Scopes chosen={scopes} onChange={setScopes} />
      <label className={styles["field"]}>
        <span>Expires</span>
        <select
          value={expires}
          onChange={(event) => {
            setExpires(event.target.value);
          }}
        >
          {EXPIRIES.map(({ value, words }) => (
            <option key={value} value={value}>
              {words}
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

interface FirstKeyProps {
  readonly isAgreed: boolean;
  readonly onAgree: (isAgreed: boolean) => void;
}

/** What the first key changes, to be agreed to. */
function FirstKey({ isAgreed, onAgree }: FirstKeyProps) {
  return (
    <div className={styles["notice"]}>
      <p>
        <strong>This is the first key.</strong> Until now every request of this machine is allowed.
        With the first key, every request needs one, also those of agents that run now. That cannot
        be undone: revoking the last key does not open the service again.
      </p>
      <label>
        <input
          type="checkbox"
          checked={isAgreed}
          onChange={({ target }) => {
            onAgree(target.checked);
          }}
        />{" "}
        Every request shall need a key
      </label>
    </div>
  );
}
