/** Cuts a text to `longest` characters including the mark at its end, never inside a character. */
export function cutText(text: string, longest: number, mark = ""): string {
  if (text.length <= longest) return text;
  const end = longest - mark.length;
  const isWithinCharacter = (text.codePointAt(end - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isWithinCharacter ? end - 1 : end) + mark;
}
