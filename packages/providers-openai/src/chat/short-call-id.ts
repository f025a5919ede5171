const shortForm = /^[a-zA-Z0-9]{9}$/;
const shortIds = 36n ** 9n;

/**
 * Returns the id of a tool call in the form that Mistral requires: nine letters and digits. An id that another vendor
 * has made becomes a short id, which is the same at every place in the history.
 */
export function toShortId(id: string): string {
  if (shortForm.test(id)) return id;
  let hash = 7n;
  for (const character of id) hash = (hash * 65_599n + BigInt(character.codePointAt(0) ?? 0)) % shortIds;
  return hash.toString(36).padStart(9, "0");
}
