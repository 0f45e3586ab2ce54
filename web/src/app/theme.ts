/** The theme: the reader's choice, kept in this browser, else that of the system. */
export type Theme = "light" | "dark" | "system";

const PLACE = "agentlog.theme";

export function currentTheme(): Theme {
  const theme = localStorage.getItem(PLACE);
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, theme);
  applyTheme();
}

/** Sets the document's `color-scheme`, which every colour follows. */
export function applyTheme(): void {
  const theme = currentTheme();
  document.documentElement.style.colorScheme = theme === "system" ? "light dark" : theme;
}
