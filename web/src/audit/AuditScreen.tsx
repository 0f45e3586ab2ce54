import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Failure } from "../parts/Failure";
import { useTitle } from "../parts/useTitle";
import { headQuery } from "../thread/queries";
import type { AuditAddress } from "./address";
import { canHash } from "./hashes/bytes";
import { ChainDetails } from "./chain/ChainDetails";
import { Checkpoints } from "./checkpoints/Checkpoints";
import { Consistency } from "./checkpoints/Consistency";
import { EvidenceFile } from "./evidence/EvidenceFile";
import { textIn } from "./fields";
import { HeldKey, useHeldKey } from "./checkpoints/HeldKey";
import { MessageProof } from "./checkpoints/MessageProof";
import { useChain } from "./chain/useChain";
import styles from "./audit.module.css";

const route = getRouteApi("/audit");

/** The proofs of the log, verified in this browser. */
export function AuditScreen() {
  useTitle("Audit");
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { key: held, hold } = useHeldKey();
  const ask = (part: AuditAddress): void => {
    void navigate({ search: (before) => ({ ...before, ...part }) });
  };
  if (!canHash()) {
    return (
      <main className="screen message">
        <h1>This browser hashes on secure pages only</h1>
        <p>
          Open the page over HTTPS, or by http://127.0.0.1 or http://localhost on the machine of the
          service. Without a browser: <code>agentlog verify</code>.
        </p>
      </main>
    );
  }
  return (
    <main className="screen sections">
      <h1>Audit</h1>
      <p className="lead">
        All of this is computed in this browser, from the events, links and notes.
      </p>
      <Section
        title="Key of the log"
        shows="Shows who signed, if the key did not come from this service."
      >
        <HeldKey held={held} onHold={hold} />
      </Section>
      <Section
        title="Checkpoints"
        shows="A checkpoint signs the log up to a size. Kept elsewhere, it shows any later change."
      >
        <Checkpoints held={held} onChoose={ask} />
      </Section>
      <Section
        title="Two checkpoints"
        shows="Shows that the later log begins with the earlier one."
      >
        <Consistency address={address} held={held} onAsk={ask} />
      </Section>
      <Section
        title="A thread"
        shows="Shows that each event is as it was chained, and that none is missing."
      >
        <ThreadForm thread={address.thread} onAsk={ask} />
        {address.thread !== undefined && <ThreadChain threadId={address.thread} />}
      </Section>
      <Section
        title="A message"
        shows="Shows that one message was in the log when it was signed, without the rest of it."
      >
        <MessageProof address={address} held={held} onAsk={ask} />
      </Section>
      <Section
        title="Evidence"
        shows="Shows that a whole thread was in the log. The file is not sent anywhere."
      >
        <EvidenceFile held={held} />
      </Section>
    </main>
  );
}

interface SectionProps {
  readonly title: string;
  readonly shows: string;
  readonly children: ReactNode;
}

function Section({ title, shows, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p className={styles["remark"]}>{shows}</p>
      {children}
    </section>
  );
}

interface ThreadFormProps {
  readonly thread: string | undefined;
  readonly onAsk: (part: AuditAddress) => void;
}

function ThreadForm({ thread, onAsk }: ThreadFormProps) {
  return (
    <form
      key={thread}
      className={styles["row"]}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk({ thread: textIn(event.currentTarget, "thread") });
      }}
    >
      <label>
        Thread <input name="thread" required spellCheck={false} defaultValue={thread} />
      </label>
      <button type="submit">Verify</button>
    </form>
  );
}

function ThreadChain({ threadId }: { threadId: string }) {
  const chain = useChain(threadId);
  const { error } = useQuery(headQuery(threadId));
  return error === null ? <ChainDetails chain={chain} /> : <Failure error={error} />;
}
