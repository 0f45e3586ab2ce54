import { useEffect } from "react";
import { visible } from "./visible/visible";

/** Names the window's tab while a component is shown; null leaves it. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title === null) return;
    const before = document.title;
    document.title = visible(title);
    return () => {
      document.title = before;
    };
  }, [title]);
}
