import { useEffect } from "react";
import alertIcon from "../icon-alert.svg";
import { visible } from "./visible/visible";

/**
 * Names the window's tab after what a component shows; null leaves it. `needsPerson` says that
 * somebody is waited for: the tab's title and icon have a dot then.
 */
export function useTitle(title: string | null, { needsPerson = false } = {}): void {
  useEffect(() => {
    if (title === null) return;
    const before = document.title;
    document.title = `${needsPerson ? "● " : ""}${visible(title)} · agentlog`;
    return () => {
      document.title = before;
    };
  }, [title, needsPerson]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon === null || !needsPerson) return;
    const before = icon.href;
    icon.href = alertIcon;
    return () => {
      icon.href = before;
    };
  }, [needsPerson]);
}
