import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fetchWithKey } from "../../../api/client";
import { download } from "../../../parts/download";
import { Failure } from "../../../parts/Failure";
import { bytes } from "../../../parts/format";
import { type FileOf, isPicture, safeName } from "../contents";
import styles from "../event.module.css";
import { Portion } from "./Portion";
import { bytesIn } from "../texts";

/** Pictures that are drawn without being asked for. */
const AT_ONCE = 6;

/** The files of an input: pictures drawn, others to download. */
export function Files({ files }: { files: readonly FileOf[] }) {
  return (
    <div className={styles["files"]}>
      <Portion of={files} draw={(file, index) => <OneFile file={file} index={index} />} />
    </div>
  );
}

function OneFile({ file, index }: { file: FileOf; index: number }) {
  const [isOpen, setOpen] = useState(isPicture(file) && index < AT_ONCE);
  const picture = useQuery({ ...contentQuery(file), enabled: isOpen });
  const size = useQuery({ ...sizeQuery(file), enabled: !isOpen });
  const error = picture.error ?? size.error;
  return (
    <figure className={styles["file"]}>
      {picture.data !== undefined && <Picture content={picture.data} file={file} />}
      <figcaption>
        <strong>{file.name}</strong>
        <small>
          {file.type ?? "unknown type"}, {bytes(picture.data?.size ?? size.data)}
        </small>
        {isPicture(file) && !isOpen && (
          <button
            type="button"
            onClick={() => {
              setOpen(true);
            }}
          >
            Show
          </button>
        )}
        <Download file={file} />
      </figcaption>
      {error !== null && <Failure error={error} />}
    </figure>
  );
}

function Picture({ content, file }: { content: Blob; file: FileOf }) {
  const load = (image: HTMLImageElement): (() => void) => {
    const url = URL.createObjectURL(content);
    image.src = url;
    return () => {
      URL.revokeObjectURL(url);
    };
  };
  return <img ref={load} alt={file.name} />;
}

function Download({ file }: { file: FileOf }) {
  const [error, fail] = useState<unknown>(null);
  const save = async (): Promise<void> => {
    try {
      download(safeName(file.name), await contentOf(file));
    } catch (refused) {
      fail(refused);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void save()} aria-label={`Download ${file.name}`}>
        Download
      </button>
      {error !== null && <Failure error={error} />}
    </>
  );
}

async function contentOf(file: FileOf, signal?: AbortSignal): Promise<Blob> {
  const type = isPicture(file) && file.type !== null ? file.type : "application/octet-stream";
  if (file.sha256 === null) return new Blob([bytesIn(file.data ?? "")], { type });
  const response = await fetchWithKey(`/v1/blobs/${file.sha256}`, signal ? { signal } : {});
  return new Blob([await response.blob()], { type });
}

function contentQuery(file: FileOf) {
  return queryOptions({
    queryKey: ["file", file.sha256 ?? file.data, file.type],
    queryFn: ({ signal }) => contentOf(file, signal),
    gcTime: 0, // files are large: they are not kept once they are out of sight
  });
}

/** The size of a file in bytes, without reading it. */
function sizeQuery(file: FileOf) {
  return queryOptions({
    queryKey: ["file size", file.sha256 ?? file.data],
    queryFn: async () => {
      if (file.sha256 === null) return bytesIn(file.data ?? "").length;
      const response = await fetchWithKey(`/v1/blobs/${file.sha256}`);
      await response.body?.cancel();
      return Number(response.headers.get("Content-Length"));
    },
  });
}
