import { useMutation, useQuery } from "@tanstack/react-query";
import { useMatches } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { currentKey, KEY_PATTERN, keyHeaders, setKey } from "../api/key";
import { Problem } from "../api/problem";
import { Failure } from "../parts/Failure";
import { time } from "../parts/format";
import { accessQuery, mayOpen, type Scope } from "./access";

const SCOPES: Record<Scope, string> = {
  read: "read",
  append: "append messages",
  redact: "redact contents",
  admin: "manage keys",
  metrics: "read metrics",
};

/** Shows the screens; before them a form for the API key where the service needs one. */
export function KeyGate({ children }: { children: ReactNode }) {
  const { data, error, isPending } = useQuery(accessQuery);
  // The screen that is shown: the address is ahead of it while one is opened.
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "/" });
  if (error instanceof Problem && error.status === 401) {
    return <AskForKey ended={data?.expiresAt ?? null} />;
  }
  if (error !== null) return <Failure error={error} />;
  if (isPending) return <p className="loading">Connecting…</p>;
  if (!mayOpen(path, data.scopes)) {
    const may = data.scopes.map((scope) => SCOPES[scope]).join(", ");
    return (
      <main className="screen message">
        <h1>This key may not read</h1>
        <p>
          The key “{data.name}” may {may} only. This screen needs one that has the scope{" "}
          <code>read</code>: <code>agentlog keys create --name me --scope read</code>
        </p>
        <ForgetKey />
      </main>
    );
  }
  return <>{children}</>;
}

const NOT_ACCEPTED =
  "The key is unknown, expired or revoked: the service's log says which. Check that it is whole, " +
  "or use another.";

/** A key is kept only when the service has accepted it. */
async function tryKey(text: string): Promise<string> {
  if (!KEY_PATTERN.test(text)) {
    throw new Error(
      "This is no key. A key is agentlog_, 12 characters, _ and 64 digits (0–9, a–f).",
    );
  }
  const response = await fetch("/v1/keys/self", { headers: keyHeaders(text) });
  if (response.status === 401) throw new Error(NOT_ACCEPTED);
  if (!response.ok) throw new Error(`The service answered ${response.status}: try again.`);
  return text;
}

/** `ended`: the expiry of the key that was used until now; null if it has none. */
function AskForKey({ ended }: { ended: string | null }) {
  const [text, setText] = useState("");
  const [now] = useState(Date.now);
  const field = useId();
  const { mutate, error, isPending } = useMutation({ mutationFn: tryKey, onSuccess: setKey });
  return (
    <main className="screen message">
      <h1>This service asks for a key</h1>
      {currentKey() !== null && (
        <p className="failure" role="alert">
          {ended !== null && Date.parse(ended) <= now
            ? `The key of this session expired on ${time(ended)}.`
            : "The key of this session is not accepted any more: it expired or was revoked."}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") mutate(text.trim());
        }}
      >
        <label htmlFor={field}>API key</label>{" "}
        <input
          id={field}
          type="password"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />{" "}
        <button type="submit" className="primary" disabled={isPending}>
          Open
        </button>
      </form>
      {error !== null && (
        <p className="failure" role="alert">
          {error.message}
        </p>
      )}
      <p>
        It is kept until this tab closes, and sent to this service alone. To make one:{" "}
        <code>agentlog keys create --name me --scope read</code>
      </p>
    </main>
  );
}

/** In the bar: which key is used, and what it may not do. */
export function KeyStanding() {
  const { data, error } = useQuery(accessQuery);
  if (data === undefined || error !== null || data.anonymous) return null;
  const missing = (Object.keys(SCOPES) as Scope[]).filter((scope) => !data.scopes.includes(scope));
  const limits = missing.map((scope) => SCOPES[scope]).join(", ");
  const until = data.expiresAt === null ? "" : `, until ${time(data.expiresAt)}`;
  return (
    <span className="standing">
      <span title={(limits === "" ? "This key may do everything" : `May not: ${limits}`) + until}>
        {data.name}
        {limits !== "" && <small> may not {limits}</small>}
      </span>
      <ForgetKey />
    </span>
  );
}

function ForgetKey() {
  return (
    <button
      type="button"
      className="quiet"
      onClick={() => {
        setKey(null);
      }}
    >
      Forget key
    </button>
  );
}
