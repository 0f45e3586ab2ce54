import { visible } from "./visible/visible";

/** Has the browser keep a file; it is never opened, whatever its type is. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = visible(name);
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url); // not before the browser has begun to read
  }, 60_000);
}
