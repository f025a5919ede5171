/** Whether a text holds nothing but white space. */
export function isBlank(text: string): boolean {
  // Most texts begin with something else, which is seen at once; trimming looks at both ends.
  const first = text.charCodeAt(0);
  return !(first > 32 && first < 127) && text.trim() === "";
}
