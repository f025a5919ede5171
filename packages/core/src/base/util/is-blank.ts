/** Returns true if a string is empty or only white space. */
export function isBlank(text: string): boolean {
  // Most strings begin with a visible character. Testing that is faster than trimming.
  const first = text.charCodeAt(0);
  return !(first > 32 && first < 127) && text.trim() === "";
}
