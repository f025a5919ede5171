/** Cuts a longer text to `longest` characters, a mark at its end included, and never within one. */
export function cutText(text: string, longest: number, mark = ""): string {
  if (text.length <= longest) return text;
  const end = longest - mark.length;
  const isWithinCharacter = (text.codePointAt(end - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isWithinCharacter ? end - 1 : end) + mark;
}
