import { useMutation } from "@tanstack/react-query";
import { download } from "./download";
import { Failure } from "./Failure";

interface DownloadButtonProps {
  /** The file's name. */
  readonly name: string;
  /** Asks the service for the file: with the key, which a link could not carry. */
  readonly content: () => Promise<Blob>;
  readonly title?: string;
  readonly className?: string;
  readonly children: string;
}

/** A button that saves a file of the service. */
export function DownloadButton(props: DownloadButtonProps) {
  const { name, content, title, className, children } = props;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      download(name, await content());
    },
  });
  return (
    <>
      <button
        type="button"
        className={className}
        disabled={isPending}
        title={title}
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
