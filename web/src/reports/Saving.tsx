import { useMutation } from "@tanstack/react-query";
import { Failure } from "../parts/Failure";
import { save } from "./save";

interface SavingProps {
  readonly name: string;
  /** Asks the service for the file. */
  readonly ask: () => Promise<string>;
  readonly title: string;
}

/** A button that saves CSV. */
export function Saving({ name, ask, title }: SavingProps) {
  const saving = useMutation({
    mutationFn: ask,
    onSuccess: (text) => {
      save(text, name);
    },
  });
  return (
    <>
      <button
        type="button"
        disabled={saving.isPending}
        title={title}
        onClick={() => {
          saving.mutate();
        }}
      >
        Save CSV
      </button>
      {saving.error !== null && <Failure error={saving.error} />}
    </>
  );
}
