import { useState } from "react";
import { Dialog } from "../../parts/Dialog";
import { ChainDetails } from "./ChainDetails";
import { useChain } from "./useChain";
import { verdictOf } from "./verdict";
import styles from "../audit.module.css";

/** Whether a thread's chain is whole, computed in this browser; press it for the details. */
export function ChainBadge({ threadId }: { threadId: string }) {
  const chain = useChain(threadId);
  const [isOpen, setOpen] = useState(false);
  const { step } = chain.state;
  const { tone, label, detail } = verdictOf(chain.state);
  return (
    <>
      <button
        type="button"
        className={`badge ${tone} ${styles["badge"] ?? ""}`}
        aria-haspopup="dialog"
        title={detail}
        onClick={() => {
          if (step === "unchecked") chain.begin();
          setOpen(true);
        }}
      >
        {label}
      </button>
      <span className="hidden" role="status">
        {step === "checked" ? label : ""}
      </span>
      {isOpen && (
        <Dialog
          title="Chain"
          onClose={() => {
            setOpen(false);
          }}
        >
          <ChainDetails
            chain={chain}
            onLeave={() => {
              setOpen(false);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
