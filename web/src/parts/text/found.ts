import { createContext, useContext } from "react";

/** The texts, in small letters, that were looked for and found in what is drawn. */
export const FoundTexts = createContext<readonly string[]>([]);

export function useFoundTexts(): readonly string[] {
  return useContext(FoundTexts);
}
