/** The API key of this session: in the tab's memory alone, gone when the tab closes. */

const PLACE = "agentlog.key";
const listeners = new Set<() => void>();
const refusals = new Set<() => void>();

/** The form of a key; a text of another form is not sent. */
export const KEY_PATTERN = /^agentlog_[a-z2-7]{12}_[0-9a-f]{64}$/;

export function currentKey(): string | null {
  return sessionStorage.getItem(PLACE);
}

export function setKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(PLACE);
  else sessionStorage.setItem(PLACE, key);
  for (const listener of listeners) listener();
}

/** Calls the listener when the key changes; returns a function that removes the listener. */
export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener when the service answered 401; returns a function that removes it. */
export function onKeyRefused(listener: () => void): () => void {
  refusals.add(listener);
  return () => refusals.delete(listener);
}

export function tellKeyRefused(): void {
  for (const listener of refusals) listener();
}

/** The headers that a request carries because of the key. */
export function keyHeaders(key = currentKey()): Record<string, string> {
  return key === null ? {} : { Authorization: `Bearer ${key}` };
}
