/** The text in a field of a form. */
export function textIn(form: HTMLFormElement, name: string): string {
  const given = new FormData(form).get(name);
  return typeof given === "string" ? given.trim() : "";
}
