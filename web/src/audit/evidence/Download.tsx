import { useMutation } from "@tanstack/react-query";
import { fetchWithKey } from "../../api/client";
import { Failure } from "../../parts/Failure";

interface DownloadProps {
  /** Path that answers with the file. */
  readonly path: string;
  readonly name: string;
  readonly children: string;
}

/** A button that saves a file of the service: asked for with the key, which no link could carry. */
export function Download({ path, name, children }: DownloadProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const file = await (await fetchWithKey(path)).blob();
      const address = URL.createObjectURL(file);
      const link = document.createElement("a");
      link.href = address;
      link.download = name;
      link.click();
      setTimeout(() => {
        URL.revokeObjectURL(address); // when the browser has begun to save it
      }, 60_000);
    },
  });
  return (
    <>
      <button
        type="button"
        disabled={isPending}
        onClick={() => {
          mutate();
        }}
      >
        {children}
      </button>
      {error !== null && <Failure error={error} />}
    </>
  );
}
