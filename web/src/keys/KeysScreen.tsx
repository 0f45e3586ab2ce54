import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accessQuery } from "../app/access";
import { Accesses } from "./Accesses";
import { CreateKey } from "./CreateKey";
import { KeyList } from "./KeyList";
import { useTitle } from "../parts/useTitle";

/** The keys of the tenant, to create and revoke, and the recorded accesses. */
export function KeysScreen() {
  useTitle("Keys");
  const { data: access } = useQuery(accessQuery);
  const [now] = useState(Date.now);
  if (access === undefined) return null;
  if (!access.scopes.includes("admin")) {
    return (
      <main className="screen message">
        <h1>This key may not manage keys</h1>
        <p>
          The key “{access.name}” does not have the scope <code>admin</code>. Use another, or have
          one made: <code>agentlog keys create --name admin --scope read --scope admin</code>
        </p>
      </main>
    );
  }
  return (
    <main className="screen sections">
      <h1>Keys</h1>
      <p className="lead">
        Tenant {access.tenant}. Give each agent a key of its own, with an expiry.
      </p>
      <section aria-label="Keys">
        <KeyList ownId={access.keyId} now={now} />
      </section>
      <section aria-label="Create a key">
        <h2>Create a key</h2>
        <CreateKey isFirst={!access.keyRequired} />
      </section>
      <section aria-label="Accesses">
        <h2>Accesses</h2>
        <Accesses />
      </section>
    </main>
  );
}
